package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/rollstamp/rollstamp/files"
)

// layout is one tree, once on disk and once in memory.
var layout = fstest.MapFS{
	"app/values.yaml":     {Data: []byte("a: 1\n")},
	"app/templates/x.yml": {Data: []byte("x\n")},
	"shared/base.yaml":    {Data: []byte("base\n")},
	"app/link.yaml":       {Mode: fs.ModeSymlink, Data: []byte("../shared/base.yaml")},
	"app/folder":          {Mode: fs.ModeSymlink, Data: []byte("../shared")},
	"app/twice":           {Mode: fs.ModeSymlink, Data: []byte("folder")},
	"app/loop":            {Mode: fs.ModeSymlink, Data: []byte("loop")},
	"app/broken":          {Mode: fs.ModeSymlink, Data: []byte("nothing")},
	"app/out":             {Mode: fs.ModeSymlink, Data: []byte("../../beyond.yaml")},
}

func onDisk(t *testing.T) (root string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(top, "repo")
	for name, f := range layout {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if f.Mode&fs.ModeSymlink != 0 {
			err = os.Symlink(string(f.Data), path)
		} else {
			err = os.WriteFile(path, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "beyond.yaml"), []byte("beyond\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestAMountAnswersAsTheDisk asks both for the same paths. The mount is where the disk's tree is, whose files are then
// taken away.
func TestAMountAnswersAsTheDisk(t *testing.T) {
	root := onDisk(t)
	mount := files.Mount{At: root, Tree: layout}
	paths := []string{
		"", "app", "app/values.yaml", "app/templates", "app/link.yaml", "app/folder", "app/folder/base.yaml", "app/twice/base.yaml",
		"app/loop", "app/broken", "app/out", "app/none", "app/values.yaml/x", "app/folder/none", "app/../shared/base.yaml",
	}
	type answer struct {
		text, real, names string
		err               [4]error
		mode              [2]fs.FileMode
	}
	ask := func(s files.System, path string) (a answer) {
		b, err := s.ReadFile(path)
		a.text, a.err[0] = string(b), kind(err)
		a.real, err = s.Real(path)
		a.err[1] = kind(err)
		if info, err := s.Stat(path); err == nil {
			a.mode[0] = info.Mode().Type()
		} else {
			a.err[2] = kind(err)
		}
		if info, err := s.Lstat(path); err == nil {
			a.mode[1] = info.Mode().Type()
		} else {
			a.err[3] = kind(err)
		}
		entries, _ := s.ReadDir(path)
		for _, e := range entries {
			a.names += e.Name() + e.Type().String() + " "
		}
		return a
	}
	var want []answer
	for _, p := range paths {
		want = append(want, ask(files.Disk{}, filepath.Join(root, p)))
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	for i, p := range paths {
		if got := ask(mount, filepath.Join(root, p)); got != want[i] {
			t.Errorf("%q: the mount says %+v, the disk said %+v", p, got, want[i])
		}
	}
}

// kind brings errors of both to one form; reading a folder is an error of one kind or another.
func kind(err error) error {
	for _, k := range []error{fs.ErrNotExist, fs.ErrPermission} {
		if errors.Is(err, k) {
			return k
		}
	}
	if err != nil {
		return fs.ErrInvalid
	}
	return nil
}

func TestAMountIsTheTopOfARepositoryAndShowsTheDiskElsewhere(t *testing.T) {
	root := onDisk(t)
	mount := files.Mount{At: root, Tree: layout}
	if info, err := mount.Lstat(filepath.Join(root, ".git")); err != nil || !info.IsDir() {
		t.Errorf(".git is %v, %v", info, err)
	}
	if b, err := mount.ReadFile(filepath.Join(filepath.Dir(root), "beyond.yaml")); string(b) != "beyond\n" {
		t.Errorf("a file beside the mount holds %q, %v", b, err)
	}
	entries, err := mount.ReadDir(filepath.Dir(root))
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"beyond.yaml", "repo"}) {
		t.Errorf("beside the mount lie %v, %v", names, err)
	}
}
