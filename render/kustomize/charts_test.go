package kustomize_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/stock"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// withCharts renders charts with the real chart engine.
var withCharts = kustomize.Engine{Charts: helm.Engine{}}

func TestChartsRenderAsWithTheHelmBinary(t *testing.T) {
	t.Parallel()
	unrestrict := []string{"--load-restrictor", unrestricted}
	for _, c := range []struct {
		path string
		opts render.KustomizeOptions
		args []string
	}{
		{path: "plain"},
		{path: "plain", opts: render.KustomizeOptions{HelmKubeVersion: "1.28.9", HelmAPIVersions: []string{"lamps.example/v1"}},
			args: []string{"--helm-kube-version", "1.28.9", "--helm-api-versions", "lamps.example/v1"}},
		{path: "values", args: unrestrict},
		{path: "base", args: unrestrict},
		{path: "overlay", args: unrestrict},
		{path: "twice", args: unrestrict},
		{path: "mixed", args: unrestrict},
		{path: "generated", args: unrestrict},
		{path: "outdated", args: unrestrict},
		{path: "fetched"},
		{path: "empty", args: unrestrict},
	} {
		t.Run(c.path+" "+strings.Join(c.args, " "), func(t *testing.T) {
			dir := filepath.Join(fixtures, "charts", c.path)
			want, err := build(t, dir, append(c.args, "--enable-helm", "--helm-command", stock.Helm(t))...)
			if err != nil {
				t.Fatalf("the fixture does not build: %v", err)
			}
			if len(c.args) == 2 && c.args[1] == unrestricted {
				c.opts.LoadRestrictor = unrestricted
			}
			out, err := withCharts.Render(context.Background(), render.Request{Path: dir, Kustomize: c.opts})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Text, want) {
				t.Errorf("differs from kustomize build at %s", firstDifference(out.Text, want))
			}
			if out.SecondRender != nil {
				t.Error("a second render of a chart without random content")
			}
		})
	}
}

// chart lays out a chart of one template beside a kustomization.
func chart(t *testing.T, kust, template string) string {
	return write(t, map[string]string{
		"kustomization.yaml":          kust,
		"charts/one/Chart.yaml":       "apiVersion: v2\nname: one\nversion: 1.0.0\n",
		"charts/one/values.yaml":      "key: value\n",
		"charts/one/templates/a.yaml": template,
	})
}

func TestChartsThatCannotBeRenderedAreRefused(t *testing.T) {
	t.Parallel()
	const twoNames = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for name, c := range map[string]struct {
		kust, template string
		exit           diag.Exit
		want           string
	}{
		"not there":           {"helmCharts:\n- name: two\n", configMap, diag.ExitInput, "/kustomization.yaml:2: render chart two: no folder "},
		"to be fetched":       {"helmCharts:\n- name: two\n  repo: https://charts.example\n", configMap, diag.ExitSource, ", and the network is not allowed"},
		"no values":           {"helmCharts:\n- name: one\n  valuesFile: gone.yaml\n", configMap, diag.ExitInput, "/kustomization.yaml:3: render chart one: read values file "},
		"no more values":      {"helmCharts:\n- name: one\n  valuesInline: {a: b}\n  additionalValuesFiles:\n  - more.yaml\n", configMap, diag.ExitInput, "/kustomization.yaml:5: render chart one: read values file "},
		"none to merge":       {"helmCharts:\n- name: one\n  valuesInline: {a: b}\n  valuesFile: gone.yaml\n", configMap, diag.ExitInput, "/kustomization.yaml:4: render chart one: read values file "},
		"values outside":      {"helmCharts:\n- name: one\n  additionalValuesFiles: [/etc/hostname]\n", configMap, diag.ExitInput, "outside"},
		"values from the web": {"helmCharts:\n- name: one\n  valuesFile: https://example.com/v.yaml\n", configMap, diag.ExitSource, "/kustomization.yaml:3: fetch https://example.com/v.yaml of chart one: the network is not allowed"},
		"chart outside":       {"helmGlobals: {chartHome: ../../../../../..}\nhelmCharts:\n- name: etc\n  valuesInline: {a: b}\n  valuesMerge: replace\n", configMap, diag.ExitInput, "render chart etc"},
		"no name":             {"helmCharts:\n- releaseName: a\n", configMap, diag.ExitInput, "chart name cannot be empty"},
		"a flag for a name":   {"helmCharts:\n- {name: one, releaseName: --post-renderer=x}\n", configMap, diag.ExitInput, "releaseName must not start with '-'"},
		"two release names":   {"helmCharts:\n- {name: one, releaseName: a, nameTemplate: b}\n", configMap, diag.ExitInput, "both releaseName and nameTemplate"},
		"unknown merge":       {"helmCharts:\n- {name: one, valuesMerge: both}\n", configMap, diag.ExitInput, "valuesMerge is none of merge, override, replace"},
		"broken template":     {"helmCharts:\n- name: one\n", "{{ fail \"no\" }}", diag.ExitInput, "/charts/one/templates/a.yaml:1: render chart one of "},
		"no yaml":             {"helmCharts:\n- name: one\n", "a: [b\n", diag.ExitInput, "/charts/one/templates/a.yaml: render chart one of "},
		"the same twice":      {"helmCharts:\n- name: one\n", twoNames, diag.ExitInput, "already registered id"},
		"like a resource":     {"helmCharts:\n- name: one\nresources: [a.yaml]\n", configMap, diag.ExitInput, `find "a.yaml"`},
		"like a generated":    {"helmCharts:\n- name: one\nconfigMapGenerator:\n- {name: a, literals: [a=b]}\n", configMap, diag.ExitInput, "already registered id"},
		"not in a component":  {"components: [charts]\n", configMap, diag.ExitInput, "no kustomization.yaml"},
		"its own data":        {"helmCharts:\n- name: one\nconfigMapGenerator:\n- {name: b, files: [kustomization.yaml]}\n", configMap, diag.ExitInput, "it is a kustomization with charts or remote parts, which cannot be data"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := chart(t, c.kust, c.template)
			_, err := withCharts.Render(context.Background(), render.Request{Path: dir})
			mustFail(t, err, c.exit)
			if got := strings.TrimPrefix(err.Error(), dir); !strings.Contains(got, c.want) {
				t.Errorf("got\n%s, want\n%s", got, c.want)
			}
			if strings.Contains(c.want, "read values file") && !strings.Contains(diag.HintOf(err), "add the file") {
				t.Errorf("the hint is %q", diag.HintOf(err))
			}
			if strings.Contains(err.Error(), "~rollstamp") {
				t.Errorf("the error names a folder that does not exist: %v", err)
			}
		})
	}
}

func TestAChartWithoutARendererIsRefused(t *testing.T) {
	t.Parallel()
	_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: chart(t, "helmCharts: [{name: one}]", configMap)})
	mustFail(t, err, diag.ExitInput)
}

func TestARandomChartIsRenderedTwice(t *testing.T) {
	t.Parallel()
	dir := chart(t, "helmCharts: [{name: one}]\nnamePrefix: p-\n", configMap+"data:\n  fixed: here\n  random: {{ randAlphaNum 20 }}\n")
	out, err := withCharts.Render(context.Background(), render.Request{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(out.Text, out.SecondRender) {
		t.Error("both renders are the same")
	}
	for _, text := range [][]byte{out.Text, out.SecondRender} {
		if !bytes.Contains(text, []byte("name: p-a")) || !bytes.Contains(text, []byte("fixed: here")) {
			t.Errorf("not a whole render: %s", text)
		}
	}
}

func TestAChartsFilesAreInputs(t *testing.T) {
	t.Parallel()
	dir := chart(t, "helmCharts: [{name: one}]", configMap)
	out, err := withCharts.Render(context.Background(), render.Request{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range out.Inputs {
		got = append(got, strings.TrimPrefix(f, dir+"/"))
	}
	want := "charts/one/Chart.yaml charts/one/templates/a.yaml charts/one/values.yaml kustomization.yaml"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestAChartReachedByALinkOutOfTheRepositoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"repo/.git/HEAD":              "",
		"repo/app/kustomization.yaml": "helmCharts: [{name: one, valuesInline: {a: b}, valuesMerge: replace}]",
		"else/one/Chart.yaml":         "apiVersion: v2\nname: one\nversion: 1.0.0\n",
		"else/one/templates/a.yaml":   configMap,
	})
	mustDo(t, os.Symlink("../../else", filepath.Join(dir, "repo/app/charts")))
	_, err := withCharts.Render(context.Background(), render.Request{Path: dir + "/repo/app"})
	mustFail(t, err, diag.ExitInput)
	if !strings.Contains(err.Error(), "it lies outside of the application's root") {
		t.Error(err)
	}
}

// chartServer serves a repository of charts, with two versions of the chart "one".
func chartServer(t *testing.T) string {
	t.Helper()
	dir := write(t, map[string]string{
		"one/Chart.yaml":                  "apiVersion: v2\nname: one\nversion: 1.0.0\n",
		"one/values.yaml":                 "key: value\nsub: {on: true}\n",
		"one/more.yaml":                   "key: more\n",
		"one/crds/crd.yaml":               "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\n",
		"one/templates/a.yaml":            "{{ if .Values.stop }}{{ fail \"no\" }}{{ end }}apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-a, namespace: {{ .Release.Namespace }}}\ndata: {key: {{ .Values.key }}, version: {{ .Chart.Version }}}\n",
		"one/charts/sub/Chart.yaml":       "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
		"one/charts/sub/templates/b.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Release.Name }}-b}\n",
	})
	for _, args := range [][]string{{"package", "one", "--version", "1.0.0"}, {"package", "one", "--version", "1.2.0"}, {"repo", "index", "."}} {
		cmd := exec.Command(stock.Helm(t), args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("helm %v: %v\n%s", args, err, out)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server.URL
}

func TestChartsAreFetchedAsWithTheHelmBinary(t *testing.T) {
	t.Parallel()
	url := chartServer(t)
	for name, kust := range map[string]string{
		"a version":            "helmCharts:\n- {name: one, repo: URL, version: 1.0.0, releaseName: r, namespace: ns}\n",
		"the newest":           "helmCharts:\n- {name: one, repo: URL, releaseName: r}\n",
		"a range":              "helmCharts:\n- {name: one, repo: URL, version: 1.0.x, releaseName: r}\n",
		"two versions":         "helmCharts:\n- {name: one, repo: URL, version: 1.0.0, releaseName: r}\n- {name: one, repo: URL, version: 1.2.0, releaseName: s, valuesInline: {key: mine}, namespace: other}\n",
		"values and the chart": "helmGlobals: {chartHome: vendor}\nnamespace: ns\nhelmCharts:\n- {name: one, repo: URL, version: 1.2.0, releaseName: r, includeCRDs: true, valuesFile: vendor/one-1.2.0/one/more.yaml}\n",
		"of a base":            "resources: [base]\nnamePrefix: x-\n",
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"kustomization.yaml":      strings.ReplaceAll(kust, "URL", url),
				"base/kustomization.yaml": "helmCharts:\n- {name: one, repo: " + url + ", version: 1.0.0, releaseName: r}\n",
			}
			want, err := build(t, write(t, files), "--enable-helm", "--helm-command", stock.Helm(t))
			mustDo(t, err)
			dir, cache := write(t, files), t.TempDir()
			engine := kustomize.Engine{Charts: helm.Engine{Allow: network, CacheDir: cache}}
			out, err := engine.Render(context.Background(), render.Request{Path: dir, Allow: network, CacheDir: cache})
			mustDo(t, err)
			if !bytes.Equal(out.Text, want) {
				t.Errorf("differs from kustomize build at %s", firstDifference(out.Text, want))
			}
			for _, path := range out.Inputs {
				if _, err := os.Stat(path); err != nil {
					t.Errorf("an input that is not there any more: %v", err)
				}
			}
		})
	}
}

func TestAChartThatCannotBeFetchedIsAnErrorOfItsEntry(t *testing.T) {
	t.Parallel()
	url := chartServer(t)
	for name, c := range map[string]struct {
		chart string
		exit  diag.Exit
		want  string
	}{
		"no such chart":      {"{name: two, repo: " + url + ", version: 1.0.0}", diag.ExitSource, ":2: render chart two: fetch chart two 1.0.0 from " + url + ": the repository has no such chart"},
		"no such version":    {"{name: one, repo: " + url + ", version: 3.0.0}", diag.ExitSource, `:2: render chart one: fetch chart one 3.0.0 from ` + url + `: no version of 2 satisfies "3.0.0"`},
		"a name":             {"{name: one, repo: stable}", diag.ExitSource, ":2: render chart one: fetch chart one * from stable: the repository is neither"},
		"a value it refuses": {"{name: one, repo: " + url + ", version: 1.0.0, valuesInline: {stop: true}}", diag.ExitInput, ":2: render chart one: " + url + "/one/templates/a.yaml:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{"kustomization.yaml": "helmCharts:\n- " + c.chart + "\n"})
			_, err := kustomize.Engine{
				Charts: helm.Engine{Allow: network},
			}.Render(
				context.Background(),
				render.Request{Path: dir, Allow: network},
			)
			mustFail(t, err, c.exit)
			if !strings.Contains(err.Error(), "kustomization.yaml"+c.want) {
				t.Errorf("got\n%s, want\n%s", err, c.want)
			}
		})
	}
}
