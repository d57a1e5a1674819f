package kustomize_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/internal/stock"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

const fixtures = "../../testdata/kustomizations"

// unrestricted is --load-restrictor's other value.
const unrestricted = "LoadRestrictionsNone"

func TestOutputEqualsKustomizeBuild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path string
		opts render.KustomizeOptions
		args string
	}{
		{path: "layered/base"},
		{path: "layered/overlays/dev"},
		{path: "layered/overlays/prod"},
		{path: "layered/overlays/prod", opts: render.KustomizeOptions{Reorder: "none"}, args: "--reorder none"},
		{path: "layered/overlays/prod", opts: render.KustomizeOptions{Reorder: "legacy"}, args: "--reorder legacy"},
		{path: "components/app"},
		{path: "components/plain"},
		{path: "components/full"},
		{path: "generators/base"},
		{path: "generators/overlay"},
		{path: "replacements"},
		{path: "outdated/overlay"},
		{path: "schema"},
		{path: "schema-only"},
		{path: "schema-in-base"},
		{path: "crds"},
		{path: "plugins"},
		{path: "order/fifo"},
		{path: "order/fifo", opts: render.KustomizeOptions{Reorder: "legacy"}, args: "--reorder legacy"},
		{path: "order/legacy"},
		{path: "order/folder"},
		{path: "metadata"},
		{path: "lists"},
		{path: "diamond/top"},
		{path: "outside/app", opts: render.KustomizeOptions{LoadRestrictor: unrestricted}, args: "--load-restrictor " + unrestricted},
		{path: "layered/base", opts: render.KustomizeOptions{LoadRestrictor: unrestricted}, args: "--load-restrictor " + unrestricted},
	} {
		t.Run(c.path+" "+c.args, func(t *testing.T) {
			dir := filepath.Join(fixtures, c.path)
			want, err := build(t, dir, strings.Fields(c.args)...)
			if err != nil {
				t.Fatalf("the fixture does not build: %v", err)
			}
			out, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: dir, Kustomize: c.opts})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Text, want) {
				t.Errorf("differs from kustomize build at %s", firstDifference(out.Text, want))
			}
		})
	}
}

// build runs the real kustomize.
func build(t *testing.T, dir string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.Command(stock.Kustomize(t), append([]string{"build", dir}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Logf("kustomize build %s: %s", dir, stderr.Bytes())
	}
	return out, err
}

// firstDifference shows the first line that is not the same in both.
func firstDifference(got, want []byte) string {
	g, w := strings.SplitAfter(string(got), "\n"), strings.SplitAfter(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "line " + strconv.Itoa(i+1) + ":\n got  " + g[i] + " want " + w[i]
		}
	}
	return "its end: " + strconv.Itoa(len(g)) + " lines, want " + strconv.Itoa(len(w))
}

// TestOutputEqualsKustomizeBuildWithManyTargets has as many patches as make us leave out their targets.
func TestOutputEqualsKustomizeBuildWithManyTargets(t *testing.T) {
	t.Parallel()
	var all, patches strings.Builder
	for i := range 70 {
		fmt.Fprintf(&all, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web-%d, namespace: %s}\n", i,
			[]string{"a", "default"}[i%2])
		fmt.Fprintf(&patches, "- target: {group: apps, kind: Deployment, name: web-%d}\n  patch: |\n"+
			"    apiVersion: apps/v1\n    kind: Deployment\n    metadata:\n      name: web-%d\n    spec:\n"+
			"      template:\n        metadata:\n          annotations: {stamp: \"%d\"}\n", i, i, i)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"all.yaml": all.String(),
		"kustomization.yaml": "resources: [all.yaml]\nnamePrefix: a-\npatches:\n" + patches.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := build(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	out, err := kustomize.Engine{}.Render(t.Context(), render.Request{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Text, want) || bytes.Count(want, []byte("stamp:")) != 70 {
		t.Errorf("differs from kustomize build at %s", firstDifference(out.Text, want))
	}
}
