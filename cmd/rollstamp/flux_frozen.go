package main

import (
	"cmp"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/flux/rounds"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
)

// frozenKeys returns the keys of a workload's stamps that stay as they are: what they are of is applied by something
// that is suspended, and changes in the cluster when that is resumed.
func frozenKeys(source app.Source, name string, result *pipeline.Result, workload string) (keys []string) {
	all, ok := source.(*rounds.Source)
	if !ok || result.Plan == nil {
		return nil
	}
	for i := range result.Plan.Workloads {
		w := &result.Plan.Workloads[i]
		if !isNamed(w, workload) {
			continue
		}
		for _, r := range w.References {
			ref := app.Object{Kind: r.Kind, Namespace: cmp.Or(r.Namespace, w.Namespace), Name: r.Name}
			if r.Annotation != "" && all.IsPaused(name, ref) {
				keys = append(keys, r.Annotation)
			}
		}
	}
	return keys
}

// isNamed reports whether a workload is the one that is named, with or without its namespace.
func isNamed(w *plan.Workload, object string) bool {
	return object == manifest.Describe(w.Kind, w.Namespace, w.Name) || object == manifest.Describe(w.Kind, "", w.Name)
}
