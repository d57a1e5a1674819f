package build_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/build"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// tree writes files into a folder of its own.
func tree(t testing.TB, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func kustomization(t testing.TB, spec string) *objects.Kustomization {
	t.Helper()
	o, err := objects.Parse([]byte("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k, namespace: flux-system}\nspec:\n  sourceRef: {kind: GitRepository, name: g}\n  "+
		strings.ReplaceAll(spec, "\n", "\n  ")), "k.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return o.Kustomizations[0]
}

func configMap(name string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n"
}

func renderOf(t *testing.T, k *objects.Kustomization, root string) (*render.Output, error) {
	t.Helper()
	system, err := build.Artifact(nil, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	request, err := build.Request(k, build.Tree{Files: system, Root: root, Path: k.Spec.Path}, render.Request{})
	if err != nil {
		return nil, err
	}
	return kustomize.Engine{}.Render(t.Context(), request)
}

// names returns the names of the objects of an output, in order.
func names(out *render.Output) (all []string) {
	for line := range strings.Lines(string(out.Text)) {
		if name, ok := strings.CutPrefix(line, "  name: "); ok {
			all = append(all, strings.TrimSpace(name))
		}
	}
	slices.Sort(all)
	return all
}

func TestAFolderWithoutAKustomizationIsBuiltWithAllThatIsBelowIt(t *testing.T) {
	root := tree(t, map[string]string{
		"apps/a.yaml": configMap("a"), "apps/b.yml": configMap("b"), "apps/note.txt": "x", "apps/c.json": "{}",
		"apps/below/d.yaml": configMap("d"), "apps/.hidden/e.yaml": configMap("e"),
		"apps/own/kustomization.yaml": "resources: [f.yaml]\nnamePrefix: own-", "apps/own/f.yaml": configMap("f"),
		"apps/own/g.yaml": configMap("g"), "apps/left-out/h.yaml": "{{ no yaml }}", ".sourceignore": "left-out/\n",
		"other/i.yaml": configMap("i"),
	})
	if err := os.Symlink("a.yaml", filepath.Join(root, "apps/link.yaml")); err != nil {
		t.Fatal(err)
	}
	before := listing(t, root)
	k := kustomization(t, "path: ./apps\ntargetNamespace: ns\nnameSuffix: -x")
	out, err := renderOf(t, k, root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(out), []string{"a-x", "b-x", "d-x", "e-x", "own-f-x"}; !slices.Equal(got, want) {
		t.Errorf("built %v, want %v", got, want)
	}
	if strings.Count(string(out.Text), "namespace: ns") != 5 || out.Namespace != "ns" {
		t.Errorf("namespaces: %s", out.Text)
	}
	if after := listing(t, root); after != before {
		t.Errorf("the source was written to:\n%s\nwas\n%s", after, before)
	}
	for _, o := range out.Locator.Origins(out.Text) {
		if o.File == "" || !strings.HasPrefix(o.File, root) {
			t.Errorf("origin %v", o)
		}
	}
	request, err := build.Request(k, build.Tree{Root: root, Path: "apps"}, render.Request{})
	if err != nil {
		t.Fatal(err)
	}
	request.Files, _ = build.Artifact(nil, root, nil)
	request.Kustomize.TraceOf = &render.Output{Text: out.Text}
	traced, err := kustomize.Engine{}.Render(t.Context(), request)
	if err != nil || len(traced.Origins) != 5 || traced.Origins[0].File == "" {
		t.Errorf("traced to %v, %v", traced.Origins, err)
	}
}

func listing(t *testing.T, root string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		out.WriteString(path + "\n")
		if d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			out.Write(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFieldsOfTheSpecAreAdded(t *testing.T) {
	root := tree(t, map[string]string{
		"app/kustomization.yaml": "resources: [web.yaml]\nnamePrefix: old-\nimages: [{name: a, newTag: '1', newName: b}]\n",
		"app/web.yaml":           "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - {image: a, name: a}\n  - {image: c, name: c}\n",
		"one/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -one\n",
	})
	out, err := renderOf(t, kustomization(t, `path: app
namePrefix: new-
components: [../one, ../missing]
ignoreMissingComponents: true
images: [{name: a, digest: 'sha256:x'}, {name: c, newName: d, newTag: '2'}]
patches:
- patch: |
    - {op: add, path: /metadata/labels, value: {p: q}}
  target: {kind: Pod}
buildMetadata: [originAnnotations]`), root)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"name: new-web-one", "image: b@sha256:x", "image: d:2", "p: q", "config.kubernetes.io/origin"} {
		if !strings.Contains(string(out.Text), want) {
			t.Errorf("%s is not in\n%s", want, out.Text)
		}
	}
}

func TestWhatCannotBeBuiltIsAnErrorAtItsPlace(t *testing.T) {
	root := tree(t, map[string]string{
		"plain/bad.yaml": "kind: [", "file": "x", "up/kustomization.yaml": "resources: [../../outside.yaml]",
		"one/a.yaml": configMap("a"), "charts/kustomization.yaml": "helmCharts:\n- name: web\n  repo: https://charts.example.com\n",
		"remote/kustomization.yaml": "resources: [https://example.com/a.yaml]", "twice/a.yaml": configMap("a"), "twice/b.yaml": configMap("a"),
		"head/a.yaml": "kind: ConfigMap\nmetadata:\n  name: a\n",
	})
	for spec, want := range map[string]string{
		"path: ./no":  "kustomization path not found: no is not in the source",
		"path: ../x":  "kustomization path not found: ../x is not in the source",
		"path: file":  "spec.path file is a file",
		"path: plain": "bad.yaml:1: failed to decode Kubernetes YAML",
		"path: up":    "outside.yaml",
		"path: one\ncomponents: [https://example.com/x]": "component path 'https://example.com/x' must be local and relative",
		"path: one\ncomponents: [../gone]":               "gone",
		"path: charts":                                   "must specify --enable-helm",
		"path: remote":                                   "the network is not allowed",
		"path: twice":                                    "already registered",
		"path: head":                                     "failed to decode Kubernetes apiVersion, kind and name",
		"path: one\npatches: [{patch: \"kind: [\"}]":     "patch",
		"path: one\npatches: [{patch: \"kind: A\\nmetadata: {name: b}\"}]": "b",
	} {
		_, err := renderOf(t, kustomization(t, spec), root)
		var e *diag.Error
		if !errors.As(err, &e) || e.Exit != diag.ExitInput && spec != "path: remote" || e.Pos.File == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}

func TestAnArtifactHasWhatSourceControllerPacks(t *testing.T) {
	root := tree(t, map[string]string{
		"a.yaml": "", "a.png": "", ".github/b.yaml": "", ".git/c.yaml": "", ".gitignore": "", ".sops.yaml": "", "x/.flux.yaml": "",
		"x/d.yaml": "", "x/y/e.yaml": "",
	})
	if err := os.Symlink("x", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	all := func(ignore *string) string {
		system, err := build.Artifact(nil, root, ignore)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		walk(t, system, root, func(path string) { found = append(found, path) })
		for _, name := range []string{"a.yaml", "a.png", "link/d.yaml", "x/d.yaml", ".git/c.yaml", "x/y/e.yaml"} {
			_, err := system.ReadFile(filepath.Join(root, name))
			if (err == nil) != slices.Contains(found, name) || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("reading %s: %v", name, err)
			}
		}
		return strings.Join(found, " ")
	}
	if got, want := all(nil), "a.yaml x/d.yaml x/y/e.yaml"; got != want {
		t.Errorf("by default: %s", got)
	}
	system, err := build.Artifact(nil, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.png": "it is there, and source-controller leaves it out: by .sourceignore, spec.ignore or its defaults",
		"link":  "it is there, and source-controller leaves it out, as a link or what else is no file",
		"none":  "no such file or directory",
	} {
		if _, err := system.ReadFile(filepath.Join(root, name)); err == nil || files.Cause(err).Error() != want {
			t.Errorf("reading %s: %v", name, err)
		}
	}
	ignore := "# none\n\n/x/*\n!/x/y/\n"
	if got, want := all(&ignore), ".github/b.yaml .sops.yaml a.png a.yaml x/y/e.yaml"; got != want {
		t.Errorf("with spec.ignore: %s", got)
	}
	if err := os.WriteFile(filepath.Join(root, "x", ".sourceignore"), []byte("/y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := all(nil), ".github/b.yaml .sops.yaml a.png a.yaml x/.flux.yaml x/.sourceignore x/d.yaml"; got != want {
		t.Errorf("with .sourceignore: %s", got)
	}
}

func walk(t *testing.T, system files.System, dir string, visit func(string)) {
	t.Helper()
	var below func(string)
	below = func(at string) {
		entries, err := system.ReadDir(at)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			path := filepath.Join(at, e.Name())
			if e.IsDir() {
				below(path)
				continue
			}
			rel, _ := filepath.Rel(dir, path)
			visit(rel)
		}
	}
	below(dir)
}
