package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/files"
)

func TestAReplacedFileHasItsNewContentAndSizeAlsoBehindLinks(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.txt": "old", "b.txt": "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	system := files.Replaced{Contents: map[string][]byte{filepath.Join(dir, "a.txt"): []byte("replaced")}}
	for name, want := range map[string]string{"a.txt": "replaced", "link.txt": "replaced", "b.txt": "other"} {
		path := filepath.Join(dir, name)
		text, err := system.ReadFile(path)
		if err != nil || string(text) != want {
			t.Errorf("%s holds %q (%v), want %q", name, text, err, want)
		}
		if info, err := system.Stat(path); err != nil || info.Size() != int64(len(want)) {
			t.Errorf("%s: Stat returns %v, %v", name, info, err)
		}
	}
	info, err := system.Lstat(filepath.Join(dir, "link.txt"))
	if err != nil || info.Mode().IsRegular() {
		t.Errorf("Lstat of a link describes %v, %v", info, err)
	}
	entries, err := system.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("the folder lists %v, %v", entries, err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(text) != "old" {
		t.Errorf("the file on disk holds %q", text)
	}
}

func TestATreeOfContentsIsReadAsFiles(t *testing.T) {
	t.Parallel()
	tree, err := files.NewMemory(map[string][]byte{"a/b.txt": []byte("b"), "c.txt": []byte("c")})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "tree")
	system := files.Mount{At: at, Tree: tree}
	if text, err := system.ReadFile(filepath.Join(at, "a/b.txt")); err != nil || string(text) != "b" {
		t.Errorf("a/b.txt holds %q, %v", text, err)
	}
	entries, err := system.ReadDir(at)
	if err != nil || len(entries) != 2 || entries[0].Name() != "a" || !entries[0].IsDir() {
		t.Errorf("the tree lists %v, %v", entries, err)
	}
	for _, name := range []string{"../out.txt", "a/../../out.txt"} {
		if _, err := files.NewMemory(map[string][]byte{name: nil}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
