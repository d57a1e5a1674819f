package lint_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/diag"
)

// Argo CD takes a rule that fits nothing, and it has no effect: only one that is known to fit is an error.
func TestOnlyARuleThatFitsAWorkloadIsAnError(t *testing.T) {
	const text = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: web\n" +
		"  annotations: {argocd.argoproj.io/manifest-generate-paths: .}\nspec:\n" +
		"  source: {path: web, plugin: {name: rollstamp}}\n" +
		"  syncPolicy: {syncOptions: [RespectIgnoreDifferences=true]}\n" +
		"  ignoreDifferences:\n  - {%s, jsonPointers: [/spec/template/metadata]}\n"
	web := lint.Seen{Rendered: true, Stamped: []lint.Workload{{Kind: "Deployment", Namespace: "shop", Name: "web"}}}
	for _, c := range []struct {
		rule string
		seen []lint.Seen
		want diag.Severity
	}{
		{"group: apps, kind: Deployment", nil, diag.Warning},
		{"group: apps, kind: Deployment", []lint.Seen{web}, diag.Failure},
		{"group: apps, kind: Deployment, name: web, namespace: shop", []lint.Seen{web}, diag.Failure},
		{"group: '*', kind: '*'", []lint.Seen{web}, diag.Failure},
		{"group: apps, kind: StatefulSet", []lint.Seen{web}, diag.Info},
		{"group: apps, kind: Deployment, name: gone", []lint.Seen{web}, diag.Info},
		{"group: apps, kind: Deployment, namespace: other", []lint.Seen{web}, diag.Info},
		{"group: apps, kind: Deployment, name: '{{ .name }}'", []lint.Seen{web}, diag.Warning},
		{"group: apps, kind: StatefulSet", []lint.Seen{web, {Elsewhere: errors.New("elsewhere")}}, diag.Warning},
	} {
		with := rules
		with.Looked = map[string]*lint.Looked{"Application web": {Sources: c.seen}}
		found, err := lint.File("f.yaml", fmt.Appendf(nil, text, c.rule), with)
		var got diag.Severity
		for _, f := range found {
			if f.Code == diag.SourceIgnored {
				got = f.Severity
			}
		}
		if err != nil || got != c.want {
			t.Errorf("%s, seen %v: got %q, want %q (%v)", c.rule, c.seen, got, c.want, err)
		}
	}
}
