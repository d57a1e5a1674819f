package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/wiring"
)

// history is a repository that the real git makes, with applications whose inputs lie in many places.
type history struct {
	t   *testing.T
	top string
}

func newHistory(t *testing.T) *history {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git to make a repository")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &history{t, top}
	t.Chdir(top)
	h.git("init", "-q", "-b", "main")
	return h
}

func (h *history) git(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = h.top
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (h *history) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.top, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) link(target, name string) {
	h.t.Helper()
	path := filepath.Join(h.top, filepath.FromSlash(name))
	_ = os.MkdirAll(filepath.Dir(path), 0o755) // the next line fails then
	if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) commit(tag string) {
	h.t.Helper()
	h.git("add", "-A")
	h.git("commit", "-q", "--allow-empty", "-m", tag)
	h.git("tag", tag)
}

// unchanged lists the applications that the diff from a revision does not render on the old side. to is a revision or
// the work tree.
func (h *history) unchanged(from, to string, args ...string) map[string]bool {
	h.t.Helper()
	d := diffCommand{from: from, to: to}
	c := &cobra.Command{}
	d.add(c)
	if err := c.ParseFlags(args); err != nil {
		h.t.Fatal(err)
	}
	w := wiring.New(context.Background(), func(string) (string, bool) { return "", false }, "", strings.NewReader(""))
	builder := &countingBuilder{Builder: d.applications(w), made: map[string]int{}}
	compared, err := sides.Renderer{Builder: builder}.Revisions(context.Background(), from, to, []string{"apps/*"})
	if err != nil || compared.HasFailures() {
		h.t.Fatal(err, compared)
	}
	out := map[string]bool{}
	for path, times := range builder.made {
		if times == 1 {
			out[filepath.Base(path)] = true
		}
	}
	return out
}

// countingBuilder counts how often each application is made: once for each side that it is rendered on.
type countingBuilder struct {
	fleet.Builder
	mu   sync.Mutex
	made map[string]int
}

func (m *countingBuilder) Application(ctx context.Context, at app.Place, path string) (*app.Application, error) {
	m.mu.Lock()
	m.made[path]++
	m.mu.Unlock()
	return m.Builder.Application(ctx, at, path)
}

const deploymentOfC = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: c, optional: true}}]}]}}}\n"

// inputs writes applications that read in every place there is, and the same one more that reads its own folder only.
func (h *history) inputs() {
	h.t.Helper()
	const chart = "apiVersion: v2\nname: NAME\nversion: 1.0.0\n"
	const template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.Name }}}\ndata: {a: '{{ .Values.a }}'}\n"
	h.write("apps/alone/app.yaml", deploymentOfC)

	h.write("apps/chart/Chart.yaml", strings.Replace(chart, "NAME", "chart", 1)+"dependencies: [{name: lib, version: 1.0.0, repository: file://../../libs/lib}]\n")
	h.write("apps/chart/templates/c.yaml", template)
	h.write("shared/values.yaml", "a: 1\n")
	h.write("libs/lib/Chart.yaml", strings.Replace(chart, "NAME", "lib", 1))
	h.write("libs/lib/templates/deep/c.yaml", template)

	h.write("apps/overlay/kustomization.yaml", "resources: [../../bases/one]\ncomponents: [../../components/one]\n")
	h.write("bases/one/kustomization.yaml", "resources: [d.yaml]\n")
	h.write("bases/one/d.yaml", deploymentOfC)
	h.write("components/one/kustomization.yaml",
		"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nconfigMapGenerator: [{name: g, files: "+
			"[x.txt]}]\n")
	h.write("components/one/x.txt", "x\n")

	h.write("apps/looks/app.yaml", deploymentOfC)
	h.write("apps/looks/"+config.FileName, "context: [../../around]\n")
	h.write("around/deep/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n")

	h.link("../../linked/app.yaml", "apps/linked/app.yaml")
	h.write("linked/app.yaml", deploymentOfC)
}

func TestAnApplicationWhoseInputsAreTheSameIsNotRenderedOnTheOldSide(t *testing.T) {
	all := []string{"alone", "chart", "looks", "overlay"} // one that reads through links always is
	for what, change := range map[string]struct {
		do      func(h *history)
		renders []string
	}{
		"nothing":                     {func(*history) {}, nil},
		"a file beside":               {func(h *history) { h.write("README.md", "x") }, nil},
		"its own file":                {func(h *history) { h.write("apps/alone/app.yaml", deploymentOfC+"# x\n") }, []string{"alone"}},
		"a new file of its own":       {func(h *history) { h.write("apps/alone/more.yaml", deploymentOfC) }, []string{"alone"}},
		"a values file":               {func(h *history) { h.write("shared/values.yaml", "a: 2\n") }, []string{"chart"}},
		"a chart of a file:// URL":    {func(h *history) { h.write("libs/lib/templates/deep/c.yaml", "") }, []string{"chart"}},
		"a new folder in that chart":  {func(h *history) { h.write("libs/lib/templates/other/c.yaml", "a: b") }, []string{"chart"}},
		"a base":                      {func(h *history) { h.write("bases/one/d.yaml", deploymentOfC+"# x\n") }, []string{"overlay"}},
		"a new file in a base":        {func(h *history) { h.write("bases/one/kustomization.yml.txt", "") }, []string{"overlay"}},
		"a component":                 {func(h *history) { h.write("components/one/x.txt", "y\n") }, []string{"overlay"}},
		"a context":                   {func(h *history) { h.write("around/deep/c.yaml", "") }, []string{"looks"}},
		"a new folder of a context":   {func(h *history) { h.write("around/more/c.yaml", deploymentOfC) }, []string{"looks"}},
		"a file that a link leads to": {func(h *history) { h.write("linked/app.yaml", deploymentOfC+"# x\n") }, nil},
		"a configuration above":       {func(h *history) { h.write(config.FileName, "namespace: x\n") }, all},
		"a configuration between":     {func(h *history) { h.write("apps/"+config.FileName, "namespace: x\n") }, all},
		"a lock above":                {func(h *history) { h.write("rollstamp.lock", "schema 3\n") }, all},
	} {
		t.Run(what, func(t *testing.T) {
			h := newHistory(t)
			h.inputs()
			h.commit("one")
			change.do(h)
			now := h.unchanged("one", sides.Worktree, "-f", "shared/values.yaml")
			h.commit("two")
			for side, unchanged := range map[string]map[string]bool{"the work tree": now, "a revision": h.unchanged("one", "two", "-f", "shared/values.yaml"), "back": h.unchanged("two", "one", "-f", "shared/values.yaml")} {
				for _, app := range all {
					if want := !slices.Contains(change.renders, app); unchanged[app] != want {
						t.Errorf("%s: %s is taken as unchanged: %v", side, app, unchanged[app])
					}
				}
				if unchanged["linked"] {
					t.Errorf("%s: what is read through a link is taken as unchanged", side)
				}
			}
		})
	}
}

func TestFilesThatFlagsNameAreInputs(t *testing.T) {
	h := newHistory(t)
	h.write("apps/chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n")
	h.write("apps/chart/templates/c.yaml",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '{{ .Values.a }}'}\n")
	h.write("shared/values.yaml", "a: 1\n")
	h.commit("one")
	h.write("shared/values.yaml", "a: 2\n")
	if now := h.unchanged("one", sides.Worktree); !now["chart"] {
		t.Error("a file that is not read is an input")
	}
	for _, flags := range [][]string{{"-f", "shared/values.yaml"}, {"--set-file", "a=shared/values.yaml"}} {
		if now := h.unchanged("one", sides.Worktree, flags...); now["chart"] {
			t.Errorf("%v is not taken as an input", flags)
		}
	}
}
