package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/diag"
)

// in runs a command in a folder, without any setting of the machine, and gives what it prints.
func in(t *testing.T, dir string, args ...string) string {
	t.Helper()
	t.Chdir(dir)
	var out, errs bytes.Buffer
	none := func(string) (string, bool) { return "", false }
	if code := run(context.Background(), args, none, streamsOf(&out, &errs)); code != diag.ExitOK {
		t.Fatalf("%v ended with %d: %s", args, code, errs.Bytes())
	}
	return out.String()
}

// What the UI shows as a value's default must be what the chart has, in its type: sent back as it is, it changes nothing.
func TestAnnouncedValuesThatAreSentBackChangeNothing(t *testing.T) {
	chart := t.TempDir()
	for name, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"templates/values.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  all: {{ omit .Values \"ratio\" | toYaml | quote }}\n" +
			"  ratio: {{ .Values.ratio | quote }}\n", // Helm's --set has no fractions but as text
		"values.yaml": "port: \"8080\"\ncount: 3\nratio: 0.5\nup: yes\ndown: \"true\"\ntext: \"a,b={c} d\"\nlist: [a, b]\n" +
			"nested: {\"a.b\": {c: \"1.10\", d: \"\"}}\nlines: |\n  one\n  two\n",
	} {
		if err := os.MkdirAll(filepath.Join(chart, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(chart, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shop, err := filepath.Abs("../../examples/shop")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{chart, shop} {
		t.Setenv("ARGOCD_APP_NAME", "web")
		t.Setenv("ARGOCD_APP_PARAMETERS", "")
		want := in(t, dir, "argocd", "generate")
		var all []announce.Parameter
		if err := json.Unmarshal([]byte(in(t, dir, "argocd", "parameters")), &all); err != nil {
			t.Fatal(err)
		}
		var back []map[string]string
		for _, p := range all {
			if strings.Contains(p.Name, ".") && p.String != "" {
				back = append(back, map[string]string{"name": p.Name, "string": p.String})
			}
		}
		if len(back) < 5 {
			t.Fatalf("only %d values are announced", len(back))
		}
		text, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("ARGOCD_APP_PARAMETERS", string(text))
		if got := in(t, dir, "argocd", "generate"); got != want {
			t.Errorf("with %s:\n%s\nwithout:\n%s", text, got, want)
		}
	}
}
