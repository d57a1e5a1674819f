package policy

import (
	"iter"
	"slices"

	"github.com/rollstamp/rollstamp/sources/lock"
)

// WorkloadName is what a workload is known by.
type WorkloadName struct{ Kind, Namespace, Name string }

func (w WorkloadName) id() string { return WorkloadID(w.Kind, w.Namespace, w.Name) }

func (w WorkloadName) withoutNamespace() WorkloadName { return WorkloadName{w.Kind, "", w.Name} }

// About returns the decisions as they are about the workloads of a text. Where that has no namespace, as that of a chart,
// and the render that they were made in had one, those count of which one namespace alone has a workload of that name.
func (d *Decisions) About(workloads iter.Seq[WorkloadName]) *Decisions {
	if d == nil {
		return nil
	}
	bare, known := map[WorkloadName]bool{}, map[WorkloadName]bool{}
	for w := range workloads {
		known[w] = true
		if w.Namespace == "" {
			bare[w] = true
		}
	}
	if len(bare) == 0 {
		return d
	}
	namespaces := namespacesOf(d.all)
	out := slices.Clone(d.all)
	for i := range out {
		w := workloadName(&out[i])
		if id := w.withoutNamespace(); bare[id] && namespaces[id] != "" && !known[w] {
			out[i].Workload = id.id()
		}
	}
	return &Decisions{all: out}
}

// namespacesOf returns the namespace that decisions about a workload of a name have, by the workload without it: "" where
// there are several, or none is written.
func namespacesOf(all []lock.Decision) map[WorkloadName]string {
	out := map[WorkloadName]string{}
	for i := range all {
		w := workloadName(&all[i])
		namespace, id := w.Namespace, w.withoutNamespace()
		if other, is := out[id]; is && other != namespace {
			namespace = ""
		}
		out[id] = namespace
	}
	return out
}

func workloadName(d *lock.Decision) WorkloadName {
	kind, namespace, name := SplitWorkloadID(d.Workload)
	return WorkloadName{kind, namespace, name}
}
