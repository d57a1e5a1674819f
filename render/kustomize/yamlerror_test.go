package kustomize_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// Whatever YAML refuses stands in an error at its line, and nothing of the text with it.
func TestErrorsOfYAMLNameTheLineAndQuoteNothing(t *testing.T) {
	t.Parallel()
	const (
		value     = "CANARY"
		component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
		secret    = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  password: "
		generator = "apiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: g}\nliterals:\n- "
	)
	indent := func(text string) string { return "|\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n" }
	for name, place := range map[string]struct {
		files func(form string) map[string]string
		want  string // where it is; "" where the words are another's
	}{
		"resource": {func(form string) map[string]string {
			return tree("resources: [s.yaml]\n", "s.yaml", secret+form)
		}, "s.yaml:5"},
		"resource of a base": {func(form string) map[string]string {
			return tree("resources: [b]\n", "b/kustomization.yaml", "resources: [s.yaml]\n", "b/s.yaml", secret+form)
		}, "b/s.yaml:5"},
		"resource of a component": {func(form string) map[string]string {
			return tree("components: [c]\n", "c/kustomization.yaml", component+"resources: [s.yaml]\n", "c/s.yaml", secret+form)
		}, "c/s.yaml:5"},
		"patch": {func(form string) map[string]string {
			return tree("resources: [a.yaml]\npatches: [path: p.yaml]\n", "p.yaml", secret+form)
		}, ""},
		"patch inline": {func(form string) map[string]string {
			return tree("resources: [a.yaml]\npatchesStrategicMerge:\n- " + indent(secret+form))
		}, ""},
		"resource inline": {func(form string) map[string]string {
			return tree("resources:\n- " + indent(secret+form))
		}, "kustomization.yaml:3"},
		"transformer": {func(form string) map[string]string {
			return tree("transformers: [t.yaml]\nresources: [a.yaml]\n", "t.yaml", generator+form)
		}, "t.yaml:5"},
		"generator inline": {func(form string) map[string]string {
			return tree("generators:\n- " + indent(generator+form))
		}, ""},
		"configuration": {func(form string) map[string]string {
			return tree("configurations: [t.yaml]\nresources: [a.yaml]\n", "t.yaml", "namePrefix: "+form)
		}, "t.yaml:1"},
		"literal": {func(form string) map[string]string {
			return tree("secretGenerator:\n- name: s\n  literals:\n  - " + form)
		}, "kustomization.yaml:4"},
	} {
		for i, form := range []string{
			"*" + value, "{{" + value + "}}", "!!int " + value, "{" + value + ": [a]: b}",
		} {
			t.Run(name+" "+strconv.Itoa(i), func(t *testing.T) { // the name is in the path
				dir := write(t, place.files(form+"\n"))
				_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: dir})
				var known *diag.Error
				if !errors.As(err, &known) {
					t.Fatalf("got %v", err)
				}
				if got := err.Error() + diag.HintOf(err); strings.Contains(got, value) {
					t.Errorf("the error quotes the text: %s", got)
				}
				if got := known.Pos.String(); place.want != "" && got != dir+"/"+place.want {
					t.Errorf("it is at %s, want %s: %v", got, place.want, err)
				}
				if place.want != "" && known.Hint == "" && !strings.Contains(form, "{{") {
					t.Errorf("no next step: %v", err)
				}
			})
		}
	}
}
