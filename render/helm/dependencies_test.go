package helm

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// copyOf returns a copy of folders of the test charts, beside each other.
func copyOf(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(charts, name))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// builtByHelm renders a chart of dir with the real helm, after helm dependency build.
func builtByHelm(t *testing.T, path string) []byte {
	t.Helper()
	if out, stderr, err := realHelm(t, "", "dependency", "build", path); err != nil {
		t.Fatalf("helm dependency build: %v\n%s%s", err, out, stderr)
	}
	text, stderr, err := realHelm(t, "", "template", path)
	if err != nil {
		t.Fatalf("helm template: %v\n%s", err, stderr)
	}
	return text
}

// listing returns the names and content of all files below dir.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			b.WriteString(path + "\n")
			return err
		}
		text, err := os.ReadFile(path)
		b.WriteString(path + "\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const aliased = `apiVersion: v2
name: kiosk
version: 0.1.0
dependencies:
  - {name: cache, version: ^0.3.0, repository: "file://../cache", alias: one}
  - {name: cache, version: 0.3.x, repository: "file://../cache", alias: two, condition: two.enabled}
`

func TestFileDependenciesRenderAsBuiltByHelm(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, "kiosk", "base")
	if err := os.CopyFS(filepath.Join(dir, "cache"), os.DirFS(filepath.Join(charts, "shop/charts/cache"))); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "double/Chart.yaml"), strings.Replace(aliased, "kiosk", "double", 1))
	writeFile(t, filepath.Join(dir, "double/values.yaml"), "global: {domain: x}\ntwo: {size: 5}\n")
	for _, name := range []string{"kiosk", "double"} {
		path := filepath.Join(dir, name)
		before := listing(t, dir)
		got := must(t, render.Request{Path: path})
		if listing(t, dir) != before {
			t.Errorf("%s: rendering changed the source tree", name)
		}
		if want := builtByHelm(t, path); !bytes.Equal(got.Text, want) {
			t.Errorf("%s: %s", name, firstDifference(got.Text, want))
		}
		// Helm has written Chart.lock and charts/ by now; without the latter, the former holds.
		if err := os.RemoveAll(filepath.Join(path, "charts")); err != nil {
			t.Fatal(err)
		}
		if locked := must(t, render.Request{Path: path}); !bytes.Equal(locked.Text, got.Text) {
			t.Errorf("%s with a lock file: %s", name, firstDifference(locked.Text, got.Text))
		}
	}
}

func TestFilesOfAFileDependencyAreInputs(t *testing.T) {
	t.Parallel()
	want, err := filepath.Abs(filepath.Join(charts, "base/templates/_config.tpl"))
	if err != nil {
		t.Fatal(err)
	}
	if got := must(t, request("kiosk")).Inputs; !strings.Contains(strings.Join(got, "\n"), want) {
		t.Errorf("inputs %v lack %s", got, want)
	}
}

func TestDependencyThatCannotBeBuiltIsAnError(t *testing.T) {
	t.Parallel()
	manifest := func(deps string) string {
		return "apiVersion: v2\nname: kiosk\nversion: 0.1.0\ndependencies:\n- " + deps + "\n"
	}
	for _, c := range []struct{ name, manifest, lock, want string }{
		{"version", manifest(`{name: base, version: ^9, repository: "file://../base"}`), "", `version 0.2.0 does not satisfy "^9"`},
		{"range", manifest(`{name: base, version: nonsense, repository: "file://../base"}`), "", "parse version range"},
		{"folder", manifest(`{name: base, version: "*", repository: "file://../nowhere"}`), "", "find folder"},
		{"name", manifest(`{name: other, version: "*", repository: "file://../base"}`), "", "is called base"},
		{"none", manifest(`{name: base, version: "*"}`), "", "missing in charts/: base"},
		{"remote", manifest(`{name: base, version: "*", repository: "https://charts.example.test"}`), "", "missing in charts/: base"},
		{"several remote ones", manifest(`{name: base, version: "*", repository: "https://charts.example.test"}` + "\n" +
			`- {name: more, version: "*", repository: "oci://registry.example.test/x"}`), "", "dependencies are missing in charts/: base, more"},
		{"oci", manifest(`{name: base, version: "*", repository: "oci://registry.example.test/x"}`), "", "missing in charts/: base"},
		{"lock", manifest(`{name: base, version: "*", repository: "file://../base"}`), "dependencies: []\ndigest: sha256:00\ngenerated: 2026-01-01T00:00:00Z\n", "out of step"},
	} {
		dir := copyOf(t, "base")
		writeFile(t, filepath.Join(dir, "kiosk/Chart.yaml"), c.manifest)
		if c.lock != "" {
			writeFile(t, filepath.Join(dir, "kiosk/Chart.lock"), c.lock)
		}
		_, err := Engine{}.Render(t.Context(), render.Request{Path: filepath.Join(dir, "kiosk")})
		if err == nil || !strings.Contains(err.Error(), c.want) || diag.ExitOf(err) != diag.ExitInput {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestFileDependencyOutsideTheRepositoryNeedsPermission(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, "base")
	writeFile(t, filepath.Join(dir, "repo/.git/HEAD"), "ref: refs/heads/main\n")
	path := filepath.Join(dir, "repo/apps/kiosk")
	writeFile(t, filepath.Join(path, "Chart.yaml"), "apiVersion: v2\nname: kiosk\nversion: 0.1.0\ndependencies:\n- {name: base, version: '*', repository: 'file://../../../base'}\n")
	req := render.Request{Path: path}
	if _, err := (Engine{}).Render(t.Context(), req); err == nil || !strings.Contains(err.Error(), "outside of the chart's repository") {
		t.Errorf("error %v", err)
	}
	req.Allow = config.Permissions{OutsideRoot: true}
	must(t, req)
}

func TestDependencyThatHelmLeavesOutOfASubchartIsAFinding(t *testing.T) {
	t.Parallel()
	dir := writeChart(t, map[string]string{
		"Chart.yaml":            "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n- {name: sub, version: '*'}\n",
		"charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\ndependencies:\n- {name: deep, version: '1'}\n- {name: spare, version: '1', condition: spare.enabled}\n",
		"values.yaml":           "sub: {spare: {enabled: false}}\n", "templates/a.yaml": "a: b\n",
	})
	out := sameAsHelm(t, render.Request{Path: dir})
	if len(out.Findings) != 1 || out.Findings[0].Code != diag.Skipped || !strings.Contains(out.Findings[0].Message, "deep") ||
		out.Findings[0].File != filepath.Join(dir, "charts/sub/Chart.yaml") {
		t.Errorf("findings %+v", out.Findings)
	}
}
