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
	sameAnswers(t, dir, files.NewUnlinked(files.Disk{}))
	listed := files.NewUnlinked(files.Disk{})
	for _, folder := range []string{".", "a", "link", "link/b", "a/none"} {
		_, _ = listed.ReadDir(folder) // one is not there
	}
	if !listed.KnowsFolder(filepath.Join(dir, "a", "b")) || listed.KnowsFolder(filepath.Join(dir, "link")) ||
		listed.KnowsFolder(filepath.Join(dir, "link", "b")) || listed.KnowsFolder(filepath.Join(dir, "a", "file")) {
		t.Error("a listing says what is a folder without a link to it, and nothing else")
	}
	sameAnswers(t, dir, listed)
}

// sameAnswers asks twice where paths lead.
func sameAnswers(t *testing.T, dir string, u *files.Unlinked) {
	t.Helper()
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
