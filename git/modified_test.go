package git_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAWorkTreeIsModifiedWhereATrackedFileIsNotThatOfTheCommit(t *testing.T) {
	t.Parallel()
	later := func(t *testing.T, dir, name string) {
		t.Helper()
		now := time.Now().Add(time.Hour)
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), now, now); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(t *testing.T, dir, name string) {
		t.Helper()
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range map[string]struct {
		change func(t *testing.T, dir string)
		want   bool
	}{
		"nothing":             {func(*testing.T, string) {}, false},
		"a file of no commit": {func(t *testing.T, dir string) { put(t, dir, "app/new.yaml", "a: 1\n") }, false},
		"another time":        {func(t *testing.T, dir string) { later(t, dir, "app/values.yaml") }, false},
		"a file":              {func(t *testing.T, dir string) { put(t, dir, "app/values.yaml", "z: 9\n") }, true},
		"a file of the same size and time": {func(t *testing.T, dir string) {
			file := filepath.Join(dir, "app", "values.yaml")
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, "app/values.yaml", "z: 1\n")
			if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, true},
		"a file is gone":        {func(t *testing.T, dir string) { remove(t, dir, "app/values.yaml") }, true},
		"no index":              {func(t *testing.T, dir string) { remove(t, dir, ".git/index") }, false},
		"a damaged index":       {func(t *testing.T, dir string) { put(t, dir, ".git/index", "DIRC") }, false},
		"a file, without index": {func(t *testing.T, dir string) { remove(t, dir, ".git/index"); put(t, dir, "app.yaml", "z") }, true},
		"a file is added": {func(t *testing.T, dir string) {
			put(t, dir, "app/new.yaml", "a: 1\n")
			stock(t, dir, "add", "app/new.yaml")
		}, true},
		"a file is staged and put back": {func(t *testing.T, dir string) {
			old, err := os.ReadFile(filepath.Join(dir, "app", "values.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, "app/values.yaml", "z: 9\n")
			stock(t, dir, "add", "app/values.yaml")
			put(t, dir, "app/values.yaml", string(old))
		}, true},
		"other line ends, by a setting": {func(t *testing.T, dir string) {
			stock(t, dir, "config", "core.autocrlf", "true")
			remove(t, dir, "app/values.yaml")
			stock(t, dir, "checkout", "app/values.yaml")
			later(t, dir, ".git/index") // not in the moment in which the file was written
		}, false},
		"a part that is not checked out": {func(t *testing.T, dir string) {
			stock(t, dir, "update-index", "--skip-worktree", "app/values.yaml")
			remove(t, dir, "app/values.yaml")
		}, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			c.change(t, dir)
			r := open(t, dir)
			if got := r.Changes(tree(t, r, "HEAD")) != ""; got != c.want {
				t.Errorf("it is modified: %v", got)
			}
		})
	}
}

func TestAFileThatWasNeverAddedIsAChangeWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	put(t, dir, ".gitignore", "*.tmp\n/charts/\n")
	put(t, dir, "app/web/values.yaml", "a: 1\n")
	commit(t, dir, "ignoring")
	put(t, dir, "app/web/x.tmp", "ignored")
	put(t, dir, "charts/x.yaml", "ignored")
	put(t, dir, "out.json", "at no path")
	put(t, dir, "app/inner/.git/HEAD", "another repository")
	put(t, dir, "app/inner/a.yaml", "another repository's")
	r := open(t, dir)
	changes := func(paths ...string) string {
		for i := range paths {
			paths[i] = filepath.Join(r.Top, paths[i])
		}
		return r.Changes(tree(t, r, "HEAD"), paths...)
	}
	if got := changes("app", "charts", "missing", "app/web/values.yaml"); got != "" {
		t.Errorf("nothing is new, and the digest is %q", got)
	}
	put(t, dir, "app/web/new/a.yaml", "a: 1\n")
	if changes("app") == "" || changes("app/web/new/a.yaml") == "" || changes("charts") != "" {
		t.Error("a new file is overlooked, or counts elsewhere")
	}
}

func TestTheDigestOfChangesIsOfFilesAndWhatTheyHold(t *testing.T) {
	t.Parallel()
	digest := func(name, text string) string {
		dir := repository(t)
		put(t, dir, name, text)
		r := open(t, dir)
		return r.Changes(tree(t, r, "HEAD"))
	}
	one := digest("app/values.yaml", "z: 9\n")
	if len(one) != 2 || digest("app/values.yaml", "z: 9\n") != one {
		t.Errorf("%q is not what the same change has", one)
	}
	if digest("app/values.yaml", "z: 8\n") == one {
		t.Error("another content has the same digest")
	}
}
