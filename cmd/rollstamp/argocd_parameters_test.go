package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/diag"
)

// in runs a command in a folder, without any setting of the machine, and returns what it prints.
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

// What the UI shows as a value's default must be what the chart has, in its type: sent back as it is, it changes
// nothing.
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

// TestNoCanaryLeavesTheLooksAtApplications looks for values of secrets in what the commands print that look at
// applications and at what runs them.
func TestNoCanaryLeavesTheLooksAtApplications(t *testing.T) {
	canary := "cnry" + rand.Text()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
	write("chart/values.yaml", "password: "+canary+"\napi_token: "+canary+"\nnested: {adminPassword: "+canary+"}\n")
	write("chart/templates/s.yaml", "{{ fail .Values.password }}\n")
	write("broken/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
	write("broken/values.yaml", "password: *"+canary+"\n")
	write("jsonnet/x.jsonnet", "local p = '"+canary+"'; error p\n")
	write("application.yaml", `kind: Application
apiVersion: argoproj.io/v1alpha1
spec:
  source:
    plugin:
      name: rollstamp
      env: [{name: P, value: 'a$`+canary+`'}]
      parameters:
      - {name: values, array: ["password: `+canary+`"]}
      - {name: parameters, map: {password: `+canary+`}, string: `+canary+`}
      - {name: unknown, string: `+canary+`}
      - {name: parameters.password, array: [`+canary+`]}
`)
	write("sidecar.yaml", `kind: Deployment
apiVersion: apps/v1
spec: {template: {spec: {containers: [{image: rollstamp, env: [{name: ROLLSTAMP_HASH_KEY, value: `+canary+`}]}]}}}
`)
	write("broken.yaml", "kind: ConfigManagementPlugin\npassword: *"+canary+"\n")
	t.Chdir(dir)
	t.Setenv("ARGOCD_APP_PARAMETERS", "")
	for _, c := range []struct {
		in   string
		args []string
	}{
		{"chart", []string{"argocd", "parameters", "-v"}},
		{"broken", []string{"argocd", "parameters", "-v"}},
		{"jsonnet", []string{"argocd", "parameters", "-v"}},
		{"jsonnet", []string{"argocd", "paths", "-v"}},
		{"chart", []string{"argocd", "paths", "-v", "--files"}},
		{".", []string{"argocd", "lint", "-v", "application.yaml", "sidecar.yaml"}},
		{".", []string{"argocd", "lint", "-o", "json", "application.yaml", "sidecar.yaml"}},
		{".", []string{"argocd", "lint", "broken.yaml"}},
	} {
		t.Chdir(filepath.Join(dir, c.in))
		var out, errs bytes.Buffer
		none := func(string) (string, bool) { return "", false }
		run(context.Background(), c.args, none, streamsOf(&out, &errs))
		if out.Len()+errs.Len() == 0 {
			t.Errorf("%v in %s says nothing", c.args, c.in)
		}
		for _, leak := range forms(canary) {
			if strings.Contains(out.String()+errs.String(), leak) {
				t.Errorf("%v in %s shows %q:\n%s%s", c.args, c.in, leak, out.Bytes(), errs.Bytes())
			}
		}
	}
}
