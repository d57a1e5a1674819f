package kustomize_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// Each row is an everyday mistake: where that is, in which words, and a part of the next step.
func TestEverydayMistakesHaveAPlaceAndANextStep(t *testing.T) {
	t.Parallel()
	const (
		all       = "resources: [a.yaml]\n"
		component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: p-\n"
		object    = "objref: {apiVersion: v1, kind: ConfigMap, name: a}"
	)
	withData := configMap + "data: {x: y}\n"
	for name, c := range map[string]struct {
		files             map[string]string
		want, cause, hint string
	}{
		"the same file twice": {tree("resources:\n- a.yaml\n- a.yaml\n"), "kustomization.yaml:3",
			"already registered id", "comes in twice"},
		"component as a resource": {tree("resources:\n- c\n", "c/kustomization.yaml", component), "kustomization.yaml:2",
			`open "c" of resources: %/c/kustomization.yaml is a Component`, "under components"},
		"resource as a component": {tree(all+"components:\n- b\n", "b/kustomization.yaml", all, "b/a.yaml", configMap),
			"kustomization.yaml:3", `open "b" of components: %/b/kustomization.yaml is no Component`, "under resources"},
		"file of another folder": {tree("resources:\n- b\n", "b/kustomization.yaml", "configMapGenerator:\n- name: g\n"+
			"  files: [../f]\n", "f", "x"), "b/kustomization.yaml:3", "load %/f: it is not in or below %/b",
			"--load-restrictor"},
		"empty base": {tree("resources:\n- b\n", "b/kustomization.yaml", ""), "b/kustomization.yaml",
			"kustomization.yaml is empty", "take it out of %/kustomization.yaml:2"},
		"patch of another type": {tree(all+"patches:\n- path: p.yaml\n", "a.yaml", withData, "p.yaml",
			configMap+"data: [x]\n"), "p.yaml:4", "wrong node kind", "correct the patch"},
		"patch of another type, inline": {tree(all+"namePrefix: p-\npatches:\n- patch: |\n    apiVersion: v1\n"+
			"    kind: ConfigMap\n    metadata: {name: a}\n    data: [x]\n", "a.yaml", withData), "kustomization.yaml:4",
			"wrong node kind", "correct the patch"},
		"source that is no text": {tree(all+"replacements:\n- source: {kind: ConfigMap, fieldPath: data.x.z}\n"+
			"  targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.name]}]\n", "a.yaml", withData),
			"kustomization.yaml:3", "error looking up replacement source", "fieldPath"},
		"index": {tree(all+"replacements:\n- source: {kind: ConfigMap, fieldPath: data.x, options: {delimiter: ':', "+
			"index: 5}}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.name]}]\n", "a.yaml", withData),
			"kustomization.yaml:3", "options.index 5 is out of bounds", "delimiter"},
		"variable without its field": {tree(all + "vars:\n- {name: V, " + object + ", fieldref: {fieldpath: data.z}}\n"),
			"kustomization.yaml:3", "field specified in var V not found", "fieldref"},
		"variable twice": {tree(all + "vars:\n- {name: V, " + object + "}\n- {name: V, " + object + "}\n"),
			"kustomization.yaml:4", `variable "V" is there twice`, "another name"},
		"configuration that is not there": {tree(all + "configurations:\n- c.yaml\n"), "kustomization.yaml:3",
			"find %/c.yaml: no such file", "Add the file"},
		"items that are no list": {tree(all, "a.yaml", "apiVersion: v1\nkind: ConfigMapList\nitems: {a: b}\n"), "a.yaml:3",
			"items of a ConfigMapList is no list", "dashes"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, c.files)
			if out, err := build(t, dir); err == nil {
				t.Fatalf("kustomize build accepts it: %s", out)
			}
			_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: dir})
			mustFail(t, err, diag.ExitInput)
			in := strings.NewReplacer("%", dir)
			if !strings.HasPrefix(err.Error(), dir+"/"+c.want+": ") || !strings.Contains(err.Error(), in.Replace(c.cause)) {
				t.Errorf("got %v, want %s: %s", err, c.want, c.cause)
			}
			if hint := diag.HintOf(err); !strings.Contains(hint, in.Replace(c.hint)) {
				t.Errorf("the hint is %q, want %q in it", hint, c.hint)
			}
		})
	}
}
