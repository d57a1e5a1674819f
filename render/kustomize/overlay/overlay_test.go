package overlay_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render/kustomize/overlay"
)

func TestEachPathLeadsWhereTheDrawingSays(t *testing.T) {
	tree, ok := os.DirFS(t.TempDir()).(fs.ReadLinkFS)
	if !ok {
		t.Fatal("no tree")
	}
	f := overlay.New(files.Disk{})
	f.Mount("/~git-0", tree)
	f.Mount("/~git-0/charts/one", tree)
	f.Add("/app/~url-0", []byte("fetched"))
	layer := overlay.Layer{
		Files:   map[string][]byte{"/~mirror-0/kustomization.yaml": []byte("made")},
		Mirrors: map[string]string{"/~mirror-0": "/app", "/~mirror-1": "/~git-0/base"},
		Shown:   map[string][][]byte{"/app/kustomization.yaml": {[]byte("first"), []byte("second")}},
		Hidden:  []string{"kustomization.yaml", "Kustomization"},
	}
	f.Use(layer)
	for _, row := range []struct{ path, text string }{
		{"/app/kustomization.yaml", "first"}, {"/app/kustomization.yaml", "second"}, {"/app/kustomization.yaml", "second"},
		{"/app/~url-0", "fetched"}, {"/~mirror-0/kustomization.yaml", "made"}, {"/app/web.yaml", ""},
	} {
		if text, ok := f.Read(row.path); string(text) != row.text || ok != (row.text != "") {
			t.Errorf("%s shows %q, %v; want %q", row.path, text, ok, row.text)
		}
	}
	for path, want := range map[string]string{
		"/app/web.yaml": "/app/web.yaml", "/~mirror-0/web.yaml": "/app/web.yaml", "/~mirror-0/Kustomization": "",
		"/~mirror-0/sub/kustomization.yaml": "/app/sub/kustomization.yaml", "/~mirror-1/web.yaml": "/~git-0/base/web.yaml", "/~git-0/a": "/~git-0/a",
	} {
		got, mirror := f.Resolve(path)
		if got != want {
			t.Errorf("%s leads to %q, want %q", path, got, want)
		}
		if want != "" && mirror.Path(got) != path {
			t.Errorf("%s leads back to %s", path, mirror.Path(got))
		}
	}
	for path, want := range map[string]string{"/app/a": "", "/~git-0/a": "/~git-0", "/~git-0/charts/one/a": "/~git-0/charts/one"} {
		if got := f.Root(path); got != want {
			t.Errorf("%s lies in %q, want %q", path, got, want)
		}
	}
	if f.Use(layer); len(f.Texts()) != 2 || !f.Has(filepath.Join("/app", "~url-0")) || f.Has("/app/kustomization.yaml") {
		t.Error("what only the build has is not distinguished from what is shown")
	}
	if text, _ := f.Read("/app/kustomization.yaml"); string(text) != "first" {
		t.Errorf("a new layer begins with %q", text)
	}
}
