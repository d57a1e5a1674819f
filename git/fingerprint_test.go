package git_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAFingerprintDecidesWhatIsShown changes one thing at a time, and compares the fingerprints of the folder app
// before and after.
func TestAFingerprintDecidesWhatIsShown(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		change func(t *testing.T, dir string)
		same   bool // the fingerprint
		closed bool // the folder after the change
	}{
		"nothing":       {func(*testing.T, string) {}, true, true},
		"a file beside": {func(t *testing.T, dir string) { put(t, dir, "app.yaml", "x") }, true, true},
		"a file":        {func(t *testing.T, dir string) { put(t, dir, "app/values.yaml", "a: 2\n") }, false, true},
		"a file below":  {func(t *testing.T, dir string) { put(t, dir, "app/templates/x.yaml", "x: 2\n") }, false, true},
		"attributes above": {func(t *testing.T, dir string) {
			put(t, dir, ".gitattributes", "*.yaml text eol=crlf\n")
		}, false, true},
		"attributes within": {func(t *testing.T, dir string) {
			put(t, dir, "app/.gitattributes", "*.yaml text eol=crlf\n")
		}, false, true},
		"attributes beside": {func(t *testing.T, dir string) {
			put(t, dir, "shared/.gitattributes", "*.yaml text eol=crlf\n")
		}, true, true},
		"how text is checked out": {func(t *testing.T, dir string) {
			stock(t, dir, "config", "core.autocrlf", "true")
		}, false, true},
		"a filter": {func(t *testing.T, dir string) {
			stock(t, dir, "config", "filter.x.smudge", "sed s/1/2/")
		}, false, true},
		"a link within": {func(t *testing.T, dir string) {
			if err := os.Symlink("../app.yaml", filepath.Join(dir, "app", "link")); err != nil {
				t.Fatal(err)
			}
		}, false, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			before, isDir := tree(t, open(t, dir), "HEAD").Fingerprint("app")
			if before == "" || !isDir {
				t.Fatalf("the fingerprint is %q", before)
			}
			c.change(t, dir)
			now := tree(t, open(t, dir), commit(t, dir, what))
			after, _ := now.Fingerprint("app")
			if (after == before) != c.same {
				t.Errorf("the fingerprint was %q and is %q", before, after)
			}
			if now.IsClosed("app") != c.closed {
				t.Errorf("closed is %v", !c.closed)
			}
		})
	}
}

func TestWhatIsNotDecidedByObjectsHasNoFingerprint(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	if err := os.Symlink("app", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	of := tree(t, open(t, dir), commit(t, dir, "link"))
	for _, name := range []string{"link", "link/values.yaml", "absent", "app/values.yaml/x", "../app"} {
		if print, _ := of.Fingerprint(name); print != "" {
			t.Errorf("%s has the fingerprint %q", name, print)
		}
	}
	if print, _ := of.InWorkTree().Fingerprint("app"); print != "" {
		t.Errorf("what a work tree shows has the fingerprint %q", print)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git", "lfs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if print, _ := tree(t, open(t, dir), "HEAD").Fingerprint("app"); print != "" {
		t.Errorf("where Git LFS keeps files there is the fingerprint %q", print)
	}
}

func TestASubmoduleIsNotClosed(t *testing.T) {
	t.Parallel()
	dir, other := repository(t), repository(t)
	stock(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "app/sub")
	of := tree(t, open(t, dir), commit(t, dir, "submodule"))
	if of.IsClosed("app") || of.IsClosed("app/sub") || !of.IsClosed("shared") {
		t.Error("what another repository has is taken for the folder's own")
	}
	if print, _ := of.Fingerprint("app/sub/app"); print != "" {
		t.Errorf("it has the fingerprint %q", print)
	}
}
