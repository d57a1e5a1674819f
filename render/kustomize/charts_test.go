package kustomize_test

import (
	"bytes"
	"context"
	"os"
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
			if out.Twin != nil {
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
	const twoNames = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for name, c := range map[string]struct {
		kust, template string
		exit           diag.Exit
		want           string
	}{
		"not there":           {"helmCharts:\n- name: two\n", configMap, diag.ExitInput, "/kustomization.yaml:2: render chart two: no folder "},
		"to be fetched":       {"helmCharts:\n- name: two\n  repo: https://charts.example\n", configMap, diag.ExitSource, "charts of kustomizations are not fetched"},
		"no values":           {"helmCharts:\n- name: one\n  valuesFile: gone.yaml\n", configMap, diag.ExitInput, "/kustomization.yaml:2: render chart one: read values: no such file or directory"},
		"values outside":      {"helmCharts:\n- name: one\n  additionalValuesFiles: [/etc/hostname]\n", configMap, diag.ExitInput, "outside"},
		"values from the web": {"helmCharts:\n- name: one\n  valuesFile: https://example.com/v.yaml\n", configMap, diag.ExitSource, "/kustomization.yaml:3: fetch https://example.com/v.yaml of chart one: the network is not allowed"},
		"chart outside":       {"helmGlobals: {chartHome: ../../../../../..}\nhelmCharts:\n- name: etc\n  valuesInline: {a: b}\n  valuesMerge: replace\n", configMap, diag.ExitInput, "render chart etc"},
		"no name":             {"helmCharts:\n- releaseName: a\n", configMap, diag.ExitInput, "chart name cannot be empty"},
		"a flag for a name":   {"helmCharts:\n- {name: one, releaseName: --post-renderer=x}\n", configMap, diag.ExitInput, "releaseName must not start with '-'"},
		"two release names":   {"helmCharts:\n- {name: one, releaseName: a, nameTemplate: b}\n", configMap, diag.ExitInput, "both releaseName and nameTemplate"},
		"unknown merge":       {"helmCharts:\n- {name: one, valuesMerge: both}\n", configMap, diag.ExitInput, "valuesMerge is none of merge, override, replace"},
		"broken template":     {"helmCharts:\n- name: one\n", "{{ fail \"no\" }}", diag.ExitInput, "/kustomization.yaml:2: render chart one: "},
		"no yaml":             {"helmCharts:\n- name: one\n", "a: [b\n", diag.ExitInput, "/kustomization.yaml:2: render chart one: "},
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
			if strings.Contains(err.Error(), "~rollstamp") {
				t.Errorf("the error names a folder that does not exist: %v", err)
			}
		})
	}
}

func TestAChartWithoutARendererIsRefused(t *testing.T) {
	_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: chart(t, "helmCharts: [{name: one}]", configMap)})
	mustFail(t, err, diag.ExitInput)
}

func TestARandomChartIsRenderedTwice(t *testing.T) {
	dir := chart(t, "helmCharts: [{name: one}]\nnamePrefix: p-\n", configMap+"data:\n  fixed: here\n  random: {{ randAlphaNum 20 }}\n")
	out, err := withCharts.Render(context.Background(), render.Request{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(out.Text, out.Twin) {
		t.Error("both renders are the same")
	}
	for _, text := range [][]byte{out.Text, out.Twin} {
		if !bytes.Contains(text, []byte("name: p-a")) || !bytes.Contains(text, []byte("fixed: here")) {
			t.Errorf("not a whole render: %s", text)
		}
	}
}

func TestAChartsFilesAreInputs(t *testing.T) {
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
