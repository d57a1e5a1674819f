package inventory_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/render"
)

// builder builds applications that hold what their rule says.
type builder struct{ rule inventory.Rule }

func (b builder) For(rule inventory.Rule) fleet.Builder { return builder{rule} }

func (b builder) Application(_ context.Context, _ app.Place, path string) (*app.Application, error) {
	return app.New(app.Spec{Name: path, Request: &render.Request{Path: path, Namespace: string(b.rule.Namespace)}}), nil
}

// folder makes a repository with files, and changes into it.
func folder(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

func TestPathsAndNamesStandForWhatIsDescribed(t *testing.T) {
	const described = `apps:
- {path: apps/web, namespace: "web-{env}", envs: [dev, prod]}
- {path: "apps/*", namespace: all}
- {path: file.yaml}
- {path: split, envs: [a]}
- {path: split, envs: [b]}
- {path: dup, envs: [a]}
`
	tree := map[string]string{
		".rollstamp.yaml": described, "apps/web/a.yaml": "", "apps/api/a.yaml": "", "apps/x@y/a.yaml": "", "file.yaml": "", "split/a.yaml": "",
		"dup/a.yaml": "", "dup@a/a.yaml": "", "dup@b/a.yaml": "", ".hidden/a.yaml": "",
		"other/a.yaml": "", "apps/api/.rollstamp.yaml": "namespace: own\n",
		"nested/.rollstamp.yaml": "extends: ../.rollstamp.yaml\n", "nested/deep/.rollstamp.yaml": "apps: [{path: in}]\n",
		"nested/deep/in/a.yaml": "",
	}
	for _, c := range []struct{ patterns, want string }{
		{"", "apps/web@dev apps/web@prod apps/api apps/x@y file.yaml split@a split@b dup@a"},
		{".", "apps/web@dev apps/web@prod apps/api apps/x@y file.yaml split@a split@b dup@a"},
		{"split", "split@a split@b"},
		{"split@b", "split@b"},
		{"split@c", "error: has no environment c"},
		{"apps/web", "apps/web@dev apps/web@prod"},
		{"apps/web@prod apps/web@prod", "apps/web@prod"},
		{"apps/*@prod", "error: apps/api has no"},
		{"apps/*", "apps/api apps/web@dev apps/web@prod apps/x@y"},
		{"apps/x@y", "apps/x@y"},
		{"other - file.yaml", "other - file.yaml"},
		{"missing", "missing"},
		{"missing/*", "error: no folder fits missing/*"},
		{"other@prod", "error: no configuration file describes other"},
		{"./apps/api apps/api apps/api/", "./apps/api"},
		{"apps/web ./apps/web@dev", "apps/web@dev apps/web@prod"},
		{"dup@a", "dup@a in dup"},
		{"dup@a/", "dup@a/ in dup@a/"},
		{"dup@b", "dup@b in dup@b"},
		{"* .hid*", "apps dup@a dup@b nested other split@a split@b .hidden"},
		{"nested", "nested"},
		{"nested/deep", "nested/deep/in"},
		{"nested/deep/in", "nested/deep/in"},
	} {
		folder(t, tree)
		s := &inventory.Source{
			Builder:  builder{},
			Place:    app.Place{Roots: &config.Roots{}},
			Patterns: strings.Fields(c.patterns),
		}
		names, err := s.Names(t.Context())
		got := strings.Join(names, " ")
		if want, isError := strings.CutPrefix(c.want, "error: "); isError {
			if err == nil || c.patterns != "apps/*@prod" && !strings.Contains(err.Error(), want) {
				t.Errorf("%q: names %s, error %v", c.patterns, got, err)
			}
			continue
		}
		if want, path, ok := strings.Cut(c.want, " in "); ok {
			if s.Path(got) != path {
				t.Errorf("%q: %s is at %s, want %s", c.patterns, got, s.Path(got), path)
			}
			c.want = want
		}
		if err != nil || got != c.want {
			t.Errorf("%q: names %s, error %v; want %s", c.patterns, got, err, c.want)
		}
	}
	folder(t, tree)
	s := &inventory.Source{Builder: builder{}, Place: app.Place{Roots: &config.Roots{}}}
	for name, namespace := range map[string]string{"apps/web@prod": "web-prod", "apps/api": "all", "file.yaml": ""} {
		a, err := s.Application(t.Context(), name)
		if err != nil || a.Name() != name || a.Request().Namespace != namespace || a.Origin().Pos.Line == 0 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	if _, err := s.Application(t.Context(), "apps/none"); err == nil {
		t.Error("a name that there is not has an application")
	}
}

func TestWhatFitsNothingIsNoErrorWhereTheOtherSideMayHaveIt(t *testing.T) {
	folder(t, map[string]string{".rollstamp.yaml": "apps: [{path: gone/*}, {path: here}]\n", "here/a.yaml": ""})
	for patterns, want := range map[string]string{"": "here", "gone/* here missing missing@x": "here"} {
		s := &inventory.Source{
			Builder: builder{}, Place: app.Place{Roots: &config.Roots{}}, Patterns: strings.Fields(patterns), Absent: true,
		}
		names, err := s.Names(t.Context())
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%q: names %s, error %v; want %s", patterns, got, err, want)
		}
	}
}

func TestEntriesThatOverlapAreAnErrorWithTheirLines(t *testing.T) {
	for apps, want := range map[string]string{
		"[{path: a/*},\n {path: a/x, envs: [dev]}]": ".rollstamp.yaml:2: application a/x is described twice, first at ",
		"[{path: a/x},\n {path: a/x}]":              ".rollstamp.yaml:2: application a/x is described twice, first at ",
		"[{path: none},\n {path: a/x}]":             ".rollstamp.yaml:1: apps: nothing fits the path none",
	} {
		folder(t, map[string]string{".rollstamp.yaml": "apps: " + apps + "\n", "a/x/a.yaml": "", "a/y/a.yaml": ""})
		s := &inventory.Source{Builder: builder{}, Place: app.Place{Roots: &config.Roots{}}}
		if _, err := s.Names(t.Context()); err == nil || !strings.Contains(err.Error(), want) || diag.HintOf(err) == "" {
			t.Errorf("%s: %v (%s)", apps, err, diag.HintOf(err))
		}
	}
}
