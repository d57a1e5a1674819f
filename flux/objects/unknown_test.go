package objects_test

import (
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/flux/objects"
)

func TestFieldsThatAKindDoesNotHaveAreFound(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec:\n" +
		"  sourceRef: {kind: GitRepository, name: a}\n"
	const release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec:\n" +
		"  chart: {spec: {chart: a, sourceRef: {kind: GitRepository, name: a}}}\n"
	for text, want := range map[string][]string{
		head + "  interval: 1m\n  postBuild: {substitute: {any: b}}\n":                nil,
		head + "  postBuild: {substitueFrom: []}\n":                                   {"spec.postBuild.substitueFrom in place of substituteFrom"},
		head + "  patches: [{patch: one}, {patch: two, targets: {kind: Deployment}}]": {"spec.patches[1].targets in place of target"},
		head + "  Prune: true\n  colour: red\n":                                       {"spec.Prune in place of prune", "spec.colour"},
		release + "  values: {any: {thing: 1}}\n  valuesFrom: []\n":                   nil,
		release + "  valueFrom: []\n  install: {crd: Skip, timeout: 1m}\n":            {"spec.install.crd in place of crds", "spec.valueFrom in place of valuesFrom"},
	} {
		all, err := objects.Parse([]byte(text), "a.yaml")
		if err != nil || len(all.Metas()) != 1 {
			t.Fatalf("%s: %v", text, err)
		}
		if got := all.Metas()[0].UnknownFields(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for text := range map[string]bool{
		"apiVersion: helm.toolkit.fluxcd.io/v2beta1\nkind: HelmRelease\nmetadata: {name: a}\nspec:\n  old: x\n" +
			"  chart: {spec: {chart: a, sourceRef: {kind: GitRepository, name: a}}}\n": true,
	} {
		if all, err := objects.Parse([]byte(text), "a.yaml"); err != nil || all.Metas()[0].UnknownFields() != nil {
			t.Errorf("another version of the API: %v", err)
		}
	}
}
