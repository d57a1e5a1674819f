package kustomize_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

func TestAFileIsNamedByItsAbsolutePathAndAFolderIsNot(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.yaml", "# a comment\n"+object)
	write("below/a.yaml", object)
	write("below/kustomization.yaml", "resources: [a.yaml]\n")
	for _, c := range []struct{ entry, fails string }{
		{"a.yaml", ""}, {"none.yaml", "no such file"}, {"below", "takes no folder by its absolute path"},
	} {
		write("kustomization.yaml", "namePrefix: x-\nresources:\n- "+filepath.Join(dir, c.entry)+"\n")
		want, stockFails := build(t, dir)
		out, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: dir})
		if c.fails != "" {
			if stockFails == nil || err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: error %v, and kustomize's is %v", c.entry, err, stockFails)
			}
			continue
		}
		if err != nil || stockFails != nil || !bytes.Equal(out.Text, want) {
			t.Fatalf("%s: error %v, and kustomize's is %v", c.entry, err, stockFails)
		}
		at := out.Locator.Origins(out.Text)
		if len(at) != 1 || at[0].File != filepath.Join(dir, "a.yaml") || at[0].ObjectLine != 3 {
			t.Errorf("%s: comes from %v", c.entry, at)
		}
	}
}
