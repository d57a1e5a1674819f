package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/files"
)

func TestWhatIsRememberedOfLinksChangesNoAnswer(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "a", "a/broken": "none", "a/other": "b", "a/loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	u := files.NewUnlinked(files.Disk{})
	for range 2 {
		for _, path := range []string{
			"a/b", "a/file", "a/none", "a/none/more", "a/file/below", "link", "link/b", "link/file", "a/broken", "a/other",
			"a/loop", "a/../a/b", "a/", ".", "",
		} {
			for _, path := range []string{path, dir + "/" + path} {
				want, wantErr := files.Disk{}.Real(path)
				got, gotErr := u.Real(path)
				if got != want || (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
					t.Errorf("%s is %s, %v, and not %s, %v", path, got, gotErr, want, wantErr)
				}
			}
		}
	}
}
