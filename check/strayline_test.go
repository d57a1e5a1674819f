package check_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/check"
	"github.com/rollstamp/rollstamp/diag"
)

func TestALineOfAMessageAmongThoseOfAManifestIsReported(t *testing.T) {
	const (
		configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {warning: x}\n"
		custom    = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nparameters: {WARNING: x}\nlevel: {a: b}\n"
		list      = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n  stringData: {}\n"
		encrypted = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: b}\nsops: {mac: x}\n"
	)
	messages := map[string]string{
		"":                                         "",
		"# WARNING: a comment\n":                   "",
		"WARNING: this is deprecated\n":            `"WARNING" is no field of it`,
		"Pulled: ghcr.io/example/chart:1\n":        `"Pulled" is no field of it`,
		"warning: redirecting to somewhere\n":      `"warning" is no field of it`,
		"level=info msg=\"loading tOp: s3cret\"\n": "one of its lines is no field of it",
		"W1129 02:16:24.1 1 a.go:2] token s3cret: expired\n": "one of its lines is no field of it",
	}
	for _, manifest := range []string{configMap, custom, list, encrypted} {
		for message, want := range messages {
			for _, text := range []string{message + manifest, manifest + message, "---\n" + manifest + message + "---\n" + manifest} {
				found, err := check.FindOthers([]byte(text), func(offset int) diag.Position {
					return diag.Position{Line: 1 + strings.Count(text[:offset], "\n")}
				})
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				switch {
				case want == "" && len(found) > 0:
					t.Errorf("found %+v in\n%s", found, text)
				case want != "" && (len(found) != 1 || found[0].Message != want || found[0].Severity != diag.Failure):
					t.Errorf("found %+v in\n%s", found, text)
				case want != "" && !strings.HasPrefix(strings.SplitAfter(text, "\n")[found[0].Line-1], message):
					t.Errorf("line %d in\n%s", found[0].Line, text)
				}
			}
		}
	}
	known := strings.Replace(configMap, "data:", "labels: {a: b}\ndata:", 1)
	nowhere := func(int) diag.Position { return diag.Position{} }
	if found, err := check.FindOthers([]byte(known), nowhere); err != nil || len(found) != 1 {
		t.Errorf("found %+v, %v in\n%s", found, err, known)
	}
}
