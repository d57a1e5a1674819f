package plain_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
)

// object is a manifest whose name shows the order.
func object(name string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n"
}

// jsonnets replaces the engine that evaluates Jsonnet: what it returns is what the file holds.
type jsonnets struct{}

func (jsonnets) Evaluate(_ context.Context, _ render.Request, path string) ([]byte, []string, error) {
	text, err := os.ReadFile(path)
	return text, []string{path, "/lib"}, err
}

func directory(t *testing.T, root string, opts render.DirectoryOptions) (*render.Output, error) {
	t.Helper()
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	return plain.Engine{Jsonnet: jsonnets{}}.Render(context.Background(), render.Request{
		Path: root, Roots: &config.Roots{Top: real}, Plain: render.PlainOptions{Directory: &opts},
	})
}

// names returns the names of the objects in the order of the output.
func names(out *render.Output) string {
	var all []string
	for _, part := range strings.Split(string(out.Text), "name: ")[1:] {
		all = append(all, part[:strings.IndexAny(part, "}\n")])
	}
	return strings.Join(all, " ")
}

func TestADirectoryIsReadByTheRulesOfArgoCD(t *testing.T) {
	root := tree(t,
		"b.yml", object("b"), "a.yaml", object("a"), "a/z.yaml", object("z"), "a/deep/y.yaml", object("y"), "a-b.yaml", object("a-b"),
		"c.json", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"x": "name: c}"}}`,
		"notes.txt", "name: no", "values.yaml", "image: {name: no}\n", "broken.yaml", "a: [\n", "templated.yaml", "{{ if }}\nname: no\n",
		"empty.yaml", "", "comment.yaml", "# nothing\n---\n---\n", "skipped.yaml", "# +argocd:skip-file-rendering\n"+object("no"),
		".rollstamp.yaml", "level: 1\n", ".argocd-source.yaml", "helm: {}\n", ".argocd-source-x.yaml", "helm: {}\n",
		".git/x.yaml", object("no"), ".hidden.yaml", object("hidden"))
	for name, c := range map[string]struct {
		opts render.DirectoryOptions
		want string
	}{
		"the folder alone":                   {render.DirectoryOptions{}, "hidden a-b a b c"},
		"folders come where their name does": {render.DirectoryOptions{Recurse: true}, "hidden y z a-b a b c"},
		"a star matches slashes, too":        {render.DirectoryOptions{Recurse: true, Include: "a*.yaml"}, "y z a-b a"},
		"one of several":                     {render.DirectoryOptions{Recurse: true, Include: "{b.yml,*/z.yaml}"}, "z b"},
		"the path begins at the folder":      {render.DirectoryOptions{Recurse: true, Include: "z.yaml"}, ""},
		"exclude beats include":              {render.DirectoryOptions{Recurse: true, Include: "*.yaml", Exclude: "{a/*,.hidden*}"}, "a-b a"},
		"other endings":                      {render.DirectoryOptions{DisableExtensionFilter: true, Include: "*.txt"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := directory(t, root, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(out); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	out, err := directory(t, root, render.DirectoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, f := range out.Findings {
		if f.Code != diag.Skipped {
			t.Errorf("a finding %+v", f)
		}
		left = append(left, filepath.Base(f.File))
	}
	if got := strings.Join(left, " "); got != "skipped.yaml broken.yaml templated.yaml values.yaml" {
		t.Errorf("left out are %q", got)
	}
}

func TestADirectoryRefusesWhatArgoCDRefuses(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"an object and then none":   {"x.yaml", object("a") + "---\na: 1\n", "x.yaml:5: a document without a kind"},
		"what looks like an object": {"x.yaml", "apiVersion: v1\nmetadata:\n  kind: x\n", "x.yaml:1: a document without a kind"},
		"broken, but for us":        {"x.yaml", "apiVersion: v1\nkind: X\nmetadata: [\n", "x.yaml:"},
		"two JSON objects":          {"x.json", `{"kind": "A"}{"kind": "B"}`, "x.json: several objects"},
		"a JSON list":               {"x.json", `[{"kind": "A"}]`, "x.json: parse JSON: not one object"},
		"JSON that is broken":       {"x.json", "{\n\"a\": canary}", "x.json:2: parse JSON: not one object"},
		"JSON that is nested without end": {"x.json", `{"kind": "A",` + "\n" + `"x": ` + strings.Repeat("[", 20_000),
			"x.json:2: parse JSON: exceeded max depth of 10000"},
		"an empty JSON file":                  {"x.json", ``, "x.json: the file is empty"},
		"JSON without a kind":                 {"x.json", `{"a": "canary"}`, "x.json: an object without a kind"},
		"Jsonnet that evaluates to no object": {"x.jsonnet", `[{"kind": "A"}, 1]`, "x.jsonnet: parse JSON: not one object"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := directory(t, tree(t, c.file, c.text), render.DirectoryOptions{})
			if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "canary") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := directory(t, tree(t), render.DirectoryOptions{Exclude: "[a"}); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("a bad glob: %v", err)
	}
}

func TestJsonnetGivesAnObjectOrAListOfThem(t *testing.T) {
	root := tree(t, "a.jsonnet", `{"kind": "A"}`, "b.jsonnet", "[\n  {\"kind\": \"B\"},\n  null,\n  {\"kind\": \"C\"}\n]\n", "c.jsonnet", "[]", "x.libsonnet", "no")
	out, err := directory(t, root, render.DirectoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "---\n{\"kind\": \"A\"}\n---\n{\"kind\": \"B\"}\n---\n{\"kind\": \"C\"}\n"; string(out.Text) != want {
		t.Errorf("got %q, want %q", out.Text, want)
	}
	if o := out.Origins[2]; o.Line != 0 || filepath.Base(o.File) != "b.jsonnet" || !strings.HasPrefix(string(out.Text[o.Offset:]), `{"kind": "C"}`) {
		t.Errorf("the last origin is %+v", o)
	}
	if got := strings.Join(out.Inputs, " "); strings.Count(got, "a.jsonnet") != 1 || strings.Count(got, "/lib") != 1 {
		t.Errorf("inputs are %q", out.Inputs)
	}
}

func TestADirectoryHasALimitThatJsonnetDoesNotCountFor(t *testing.T) {
	root := tree(t, "a.yaml", object("a"), "b.yaml", object("b"), "c.jsonnet", "[]"+strings.Repeat(" ", 1000))
	size := int64(2 * len(object("a")))
	if _, err := directory(t, root, render.DirectoryOptions{MaxBytes: size}); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, err := directory(t, root, render.DirectoryOptions{MaxBytes: size - 1}); diag.ExitOf(err) != diag.ExitInput {
		t.Errorf("above the limit: %v", err)
	}
	if _, err := directory(t, root, render.DirectoryOptions{MaxBytes: size - 1, Exclude: "b.*"}); err != nil {
		t.Errorf("with one left out: %v", err)
	}
}

func TestADirectoryFollowsLinksInItsRepositoryOnly(t *testing.T) {
	root := tree(t, "app/a.yaml", object("a"), "shared/b.yaml", object("b"), "shared/deep/c.yaml", object("c"))
	outside := tree(t, "o.yaml", object("o"))
	app := filepath.Join(root, "app")
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(app, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("../shared/b.yaml", "b.yaml")
	link("../shared/deep", "folder.yaml")
	link("nowhere", "gone.yaml")
	if err := syscall.Mkfifo(filepath.Join(app, "pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	req := render.Request{
		Path:  app,
		Roots: &config.Roots{Top: root},
		Plain: render.PlainOptions{Directory: &render.DirectoryOptions{Recurse: true}},
	}
	out, err := plain.Engine{}.Render(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(out); got != "a b" || len(out.Findings) != 3 {
		t.Errorf("got %q, left out are %+v", got, out.Findings)
	}
	link(filepath.Join(outside, "o.yaml"), "o.yaml")
	refused(t, req, "o.yaml: symbolic link leads out of the repository")
}
