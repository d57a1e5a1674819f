package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/internal/stock"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/render/helm/order"
)

// charts are the test charts of all, ours the ones that Helm 4 renders otherwise than Helm 3, and more those of
// a developer who has some at hand.
const (
	charts = "../../testdata/charts"
	ours   = "testdata"
)

// here answers requests in this process.
type here struct{}

func (here) Do(_ context.Context, request []byte) ([]byte, error) {
	return helm.Answer(request, helm4{})
}

func rendering() helm.Engine { return helm.Engine{Version: config.Helm4, Helm4: here{}} }

// realHelm runs the real helm 4, with no configuration of whoever runs the test.
func realHelm(t *testing.T, args ...string) (stdout []byte, err error) {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(stock.Helm4(t), args...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + filepath.Join(home, "none")}
	return cmd.Output()
}

// all returns the folders of charts.
func all(t *testing.T) (found []string) {
	t.Helper()
	patterns := []string{charts + "/*/Chart.yaml", ours + "/*/Chart.yaml"}
	for _, more := range filepath.SplitList(os.Getenv("ROLLSTAMP_TEST_CHARTS")) {
		patterns = append(patterns, filepath.Join(more, "Chart.yaml"))
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			found = append(found, filepath.Dir(f))
		}
	}
	return found
}

// variants are options with the flags that stand for them.
var variants = map[string]struct {
	flags []string
	set   func(*render.Request)
}{
	"plain":  {nil, func(*render.Request) {}},
	"crds":   {[]string{"--include-crds", "--skip-tests"}, func(r *render.Request) { r.Helm.IncludeCRDs, r.Helm.SkipTests = true, true }},
	"values": {[]string{"--set", "a=1,b=2.0,c=null,list={x,y}"}, func(r *render.Request) { r.Helm.Set = []string{"a=1,b=2.0,c=null,list={x,y}"} }},
	"json": {[]string{"--set-json", `{"a":{"b":[1,2.5]}}`, "--set-json", "c=3"},
		func(r *render.Request) { r.Helm.SetJSON = []string{`{"a":{"b":[1,2.5]}}`, "c=3"} }},
	"kube": {[]string{"--kube-version", "v1.34.2-gke.100", "--namespace", "n", "--api-versions", "x/v1"}, func(r *render.Request) {
		r.Helm.KubeVersion, r.Namespace, r.Helm.APIVersions = "v1.34.2-gke.100", "n", []string{"x/v1"}
	}},
	"only": {[]string{"--show-only", "templates/*.yaml"}, func(r *render.Request) { r.Helm.ShowOnly = []string{"templates/*.yaml"} }},
}

func TestOutputEqualsHelm4s(t *testing.T) {
	equal := 0
	for _, chart := range all(t) {
		for name, v := range variants {
			req := render.Request{Path: chart}
			v.set(&req)
			want, wantErr := realHelm(t, append([]string{"template", chart}, v.flags...)...)
			got, err := rendering().Render(t.Context(), req)
			if wantErr != nil || err != nil {
				if (wantErr == nil) != (err == nil) && !isBuilt(chart) {
					t.Errorf("%s, %s: %v, and helm %v", chart, name, err, wantErr)
				}
				continue
			}
			if bytes.Equal(got.Text, want) {
				equal++
			} else if again, _ := realHelm(t, append([]string{"template", chart}, v.flags...)...); bytes.Equal(again, want) {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", chart, name, got.Text, want)
			}
		}
	}
	if equal < 40 {
		t.Errorf("only %d renders were compared", equal)
	}
}

// isBuilt reports whether a chart has dependencies that we build, and helm template does not.
func isBuilt(chart string) bool {
	text, err := os.ReadFile(filepath.Join(chart, "Chart.yaml"))
	return err == nil && bytes.Contains(text, []byte("dependencies:"))
}

func FuzzTextIsSplitAsHelm4SplitsIt(f *testing.F) {
	for _, text := range []string{"", "a", "---", "---\n---\na", "a\n---b\n ---\nc", "a \n\n---\t\n\nb\u00a0\n---\n\u00a0\n---\n\v\n", "--- a\n----", "a\n--\n---\r\nb\r\n---", "\u2003---\na", "---  ---\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts := releaseutil.SplitManifests(text)
		keys := slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
			if (releaseutil.BySplitManifestsOrder{a, b}).Less(0, 1) {
				return -1
			}
			return 1
		})
		var got, want []string
		order.SplitLines(text, func(doc string) { got = append(got, doc) })
		for _, k := range keys {
			want = append(want, parts[k])
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, helm's %q", text, got, want)
		}
	})
}

func TestAChartOfAnotherAPIVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte("apiVersion: v3\nname: a\nversion: 1.0.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := realHelm(t, "template", dir); err == nil {
		t.Fatal("helm 4 takes it now")
	}
	_, err := rendering().Render(t.Context(), render.Request{Path: dir})
	if err == nil || !strings.Contains(err.Error(), "Helm 4 renders no charts of apiVersion v3; use v2 in Chart.yaml") {
		t.Errorf("got %v", err)
	}
}
