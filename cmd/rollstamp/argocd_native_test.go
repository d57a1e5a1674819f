package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/internal/stock"
)

// TestAPluginsChartIsWhatArgoCDAsksHelmForAndThenStamped returns the real helm the command line that Argo CD makes of
// the same options.
func TestAPluginsChartIsWhatArgoCDAsksHelmForAndThenStamped(t *testing.T) {
	last := filepath.Join(t.TempDir(), "values") // Argo CD, too, writes values into a file without an ending
	type parameters = map[string]any
	for name, c := range map[string]struct {
		chart, values string
		given         parameters
		args          string
	}{
		"nothing":            {"ledger", "", nil, "--include-crds"},
		"no CRDs":            {"ledger", "", parameters{"skipCrds": "true"}, ""},
		"no tests":           {"ledger", "", parameters{"skipTests": "true", "releaseName": "other"}, "--name-template other --include-crds --skip-tests"},
		"namespace":          {"probe", "", parameters{"namespace": "n"}, "--namespace n --include-crds"},
		"versions":           {"probe", "", parameters{"kubeVersion": "v1.31.7-gke.1", "apiVersions": []string{"a/v1", "b/v1/C"}}, "--kube-version 1.31.7 --api-versions a/v1 --api-versions b/v1/C --include-crds"},
		"files":              {"shop", "", parameters{"valueFiles": []string{"ci/production.yaml"}}, "--values ci/production.yaml --include-crds"},
		"values":             {"shop", "replicas: 9\n", parameters{"valueFiles": []string{"ci/*.yaml"}, "values": "replicas: 9\n"}, "--values ci/production.yaml --values LAST --include-crds"},
		"values as a tree":   {"shop", `{"replicas":9,"order":{"limits":{"weight":1e3}}}`, parameters{"values": "no: yes", "valuesObject": "{replicas: 9, order: {limits: {weight: 1e3}}}"}, "--values LAST --include-crds"},
		"parameters":         {"probe", "", parameters{"parameters": map[string]string{"a": "1", "b": "x,y", "c": "{p,q}", "d.e": "null", "f": `m\,n`}}, `--set a=1 --set b=x\,y --set c={p,q} --set d.e=null --set f=m\,n --include-crds`},
		"strings":            {"probe", "", parameters{"parameters": map[string]string{"a": "1"}, "forceStringParameters": map[string]string{"a": "2", "b": "true"}}, "--set a=1 --set-string a=2 --set-string b=true --include-crds"},
		"expanded":           {"probe", "", parameters{"parameters": map[string]string{"a": "$ARGOCD_APP_NAME-$$x"}, "forceStringParameters": map[string]string{"b": "${ARGOCD_APP_NAMESPACE}"}}, "--set a=web-$x --set-string b=shop --include-crds"},
		"files as values":    {"probe", "", parameters{"fileParameters": map[string]string{"file": "/almanac/pages/lines.list"}}, "--set-file file=../almanac/pages/lines.list --include-crds"},
		"without the schema": {"strict", "", parameters{"skipSchemaValidation": "true", "parameters": map[string]string{"port": "none"}}, "--set port=none --include-crds --skip-schema-validation"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.Abs(filepath.Join("../../testdata/charts", c.chart))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(last, []byte(c.values), 0o600); err != nil {
				t.Fatal(err)
			}
			args := strings.Fields("template . " + strings.ReplaceAll(c.args, "LAST", last))
			for flag, value := range map[string]string{"--name-template": "web", "--namespace": "shop", "--kube-version": "1.33.2"} {
				if !strings.Contains(c.args, flag) {
					args = append(args, flag, value)
				}
			}
			want := stamped(t, helmTemplate(t, dir, args))
			got, errs, err := generate(dir, argocd.Env{
				"ARGOCD_APP_NAME": "web", "ARGOCD_APP_NAMESPACE": "shop", "ARGOCD_APP_SOURCE_PATH": c.chart, "KUBE_VERSION": "1.33.2", "ARGOCD_APP_PARAMETERS": asParameters(t, c.given)})
			if err != nil {
				t.Fatalf("%v\n%s", err, errs)
			}
			if got != want {
				t.Errorf("helm %v | stamp gives\n%s\ngenerate gives\n%s", args, want, got)
			}
		})
	}
}

// asParameters writes options as Argo CD does.
func asParameters(t *testing.T, given map[string]any) string {
	t.Helper()
	var list []map[string]any
	for name, value := range given {
		kind := "map"
		switch value.(type) {
		case string:
			kind = "string"
		case []string:
			kind = "array"
		}
		list = append(list, map[string]any{"name": name, kind: value})
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func helmTemplate(t *testing.T, dir string, args []string) string {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(stock.Helm(t), args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + filepath.Join(home, "none")}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("helm %v: %v\n%s", args, err, errs.Bytes())
	}
	return string(out)
}

// stamped stamps a stream for the namespace shop.
func stamped(t *testing.T, text string) string {
	t.Helper()
	var out, errs bytes.Buffer
	std := streams{in: strings.NewReader(text), out: &out, err: &errs}
	if code := run(context.Background(), []string{"stamp", "-n", "shop"}, func(string) (string, bool) { return "", false }, std); code != 0 {
		t.Fatalf("stamp ends with %d: %s", code, errs.String())
	}
	return out.String()
}
