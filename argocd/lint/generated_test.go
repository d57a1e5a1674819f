package lint_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/lint"
)

// What a template fills in is judged as it is in each Application, at the line of the template; as not known only where
// that is so.
func TestWhatASetFillsInOfSyncsIsJudged(t *testing.T) {
	const set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n" +
		"  generators: [{list: {elements: [{name: a}, {name: b}, {name: c}]}}]\n  template:\n    metadata:\n" +
		"      name: '{{name}}'\n      annotations: {argocd.argoproj.io/manifest-generate-paths: .}\n    spec:\n" +
		"      source: {plugin: {name: rollstamp}}\n      syncPolicy:\n        syncOptions:\n        - '{{option}}'\n" +
		"      ignoreDifferences:\n      - group: apps\n        kind: '{{kind}}'\n        jsonPointers:\n" +
		"        - '{{pointer}}'\n        jqPathExpressions:\n        - '{{jq}}'\n"
	made := func(name, option, kind, pointer, jq string) lint.Made {
		rule := map[string]any{"group": "apps", "kind": kind, "jsonPointers": []any{pointer},
			"jqPathExpressions": []any{jq}}
		return lint.Made{Name: "Application " + name, Metadata: map[string]any{"name": name}, Spec: map[string]any{
			"syncPolicy":        map[string]any{"syncOptions": []any{option}},
			"ignoreDifferences": []any{rule},
		}}
	}
	looked := &lint.Looked{Made: []lint.Made{
		made("a", "CreateNamespace=true", "Deployment", "/spec/replicas", ".spec.replicas"),
		made("b", "RespectIgnoreDifferences=true", "Deployment", "/spec/template", ".spec.replicas"),
		made("c", "RespectIgnoreDifferences=true", "Deployment", "/spec/template", ".spec["),
	}}
	by := rules
	by.Looked = map[string]*lint.Looked{"ApplicationSet s": looked}
	known := []string{
		"19 argocd-stamps-ignored jsonPointers /spec/template of Deployment covers stamps: with RespectIgnoreDifferences",
		"21 argocd-wrong-value jqPathExpressions .spec[: ",
	}
	expect(t, checkBy(t, by, set), known...)

	looked.Unjudged = []lint.Unjudged{{Generator: 0, Err: errors.New("it asks a cluster"), Unknown: true}}
	got := strings.Join(checkBy(t, by, set), "\n")
	for _, want := range append(known, "14 argocd-not-looked-into syncOptions {{option}} is filled in") {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
