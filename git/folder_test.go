package git_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/files"
)

// TestALargeFolderAnswersAsTheDisk asks a revision and the disk for what is in a folder of many entries, and for what
// is not.
func TestALargeFolderAnswersAsTheDisk(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	paths := []string{
		"apps", "apps/none", "apps/app-007/none", "apps/app-007/all.yaml/none", "apps/none/all.yaml", "apps/app-",
	}
	for i := range 300 {
		name := fmt.Sprintf("apps/app-%03d/all.yaml", i)
		put(t, dir, name, fmt.Sprintf("a: %d\n", i))
		paths = append(paths, name, filepath.Dir(name))
	}
	commit(t, dir, "many")
	revision := files.Mount{At: dir, Tree: tree(t, open(t, dir), "HEAD")}
	for _, path := range paths {
		path = filepath.Join(dir, path)
		want, wantErr := os.Lstat(path)
		got, err := revision.Lstat(path)
		switch {
		case (err == nil) != (wantErr == nil), errors.Is(err, fs.ErrNotExist) != errors.Is(wantErr, fs.ErrNotExist):
			t.Errorf("%s: %v, the disk says %v", path, err, wantErr)
		case err != nil && !strings.HasPrefix(err.Error(), "lstat "+path+": "):
			t.Errorf("the error is %q, that of the disk %q", err, wantErr)
		case err == nil && (got.Name() != want.Name() || got.IsDir() != want.IsDir()):
			t.Errorf("%s is %v", path, got)
		}
	}
}
