package git_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/git"
)

// TestTheIndexSparesReadingAndChangesNoAnswer touches a file in ways that its time, or its size, does not show.
func TestTheIndexSparesReadingAndChangesNoAnswer(t *testing.T) {
	t.Parallel()
	const name = "app/values.yaml"
	for what, c := range map[string]struct {
		change func(t *testing.T, dir string)
		same   bool
	}{
		"nothing": {func(*testing.T, string) {}, true},
		"the same size and time": {func(t *testing.T, dir string) {
			file := filepath.Join(dir, name)
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text[0]++
			put(t, dir, name, string(text))
			if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, false},
		"another time": {func(t *testing.T, dir string) {
			now := time.Now().Add(-time.Hour)
			if err := os.Chtimes(filepath.Join(dir, name), now, now); err != nil {
				t.Fatal(err)
			}
		}, true},
		"staged":      {func(t *testing.T, dir string) { put(t, dir, name, "z: 9\n"); stock(t, dir, "add", name) }, false},
		"no index":    {func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, ".git", "index")) }, true},
		"a bad index": {func(t *testing.T, dir string) { put(t, dir, ".git/index", "DIRC") }, true},
		"attributes since": {func(t *testing.T, dir string) {
			put(t, dir, ".gitattributes", "*.yaml eol=crlf\n")
			commit(t, dir, "attributes")
			_ = os.Remove(filepath.Join(dir, name))
			stock(t, dir, "checkout", name)
		}, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			first := commit(t, dir, "first")
			settle(t, dir)
			c.change(t, dir)
			settle(t, dir)
			r := open(t, dir)
			plain := git.Sides{Top: dir, From: tree(t, r, first)}
			for how, sides := range map[string]git.Sides{"without": plain, "with": plain.WithIndex()} {
				if got := sides.SameFile(filepath.Join(dir, name)); got != c.same {
					t.Errorf("%s the index it is the same: %v", how, got)
				}
			}
		})
	}
}

// settle has the index be older than no file, as it is a moment after a checkout.
func settle(t *testing.T, dir string) {
	t.Helper()
	index := filepath.Join(dir, ".git", "index")
	now := time.Now().Add(time.Minute)
	if err := os.Chtimes(index, now, now); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// TestAFolderIsComparedByTheIndexAndWithoutItAlike changes a folder, of which the index may know all, in ways that its
// names, or its times, do not show.
func TestAFolderIsComparedByTheIndexAndWithoutItAlike(t *testing.T) {
	t.Parallel()
	run := func(args ...string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { t.Helper(); stock(t, dir, args...) }
	}
	write := func(name, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { t.Helper(); put(t, dir, name, text) }
	}
	for what, c := range map[string]struct {
		change func(t *testing.T, dir string)
		same   bool
	}{
		"nothing":                    {func(*testing.T, string) {}, true},
		"a file beside":              {write("app-1.yaml", ""), true},
		"a folder beside":            {write("app0/new.yaml", ""), true},
		"a change":                   {write("app/a/b/deep.yaml", "a: 3\n"), false},
		"a new file":                 {write("app/a/b/new.yaml", ""), false},
		"a new folder":               {write("app/new/x.yaml", ""), false},
		"a change that is staged":    {func(t *testing.T, dir string) { put(t, dir, "app/a.yaml", "a: 3\n"); stock(t, dir, "add", "app") }, false},
		"a new file, staged":         {func(t *testing.T, dir string) { put(t, dir, "app/z.yaml", ""); stock(t, dir, "add", "app") }, false},
		"a new file, to be added":    {func(t *testing.T, dir string) { put(t, dir, "app/z.yaml", ""); stock(t, dir, "add", "-N", "app") }, false},
		"a file that is gone":        {func(t *testing.T, dir string) { remove(t, dir, "app/a/b/deep.yaml") }, false},
		"gone from the index alone":  {run("rm", "-q", "--cached", "app/a.yaml"), true},
		"gone from the disk and it":  {run("rm", "-q", "app/a.yaml"), false},
		"a file for a folder":        {func(t *testing.T, dir string) { remove(t, dir, "app/a"); put(t, dir, "app/a", "a: 2\n") }, false},
		"a link for a file":          {func(t *testing.T, dir string) { remove(t, dir, "app/a.yaml"); symlink(t, dir, "run.sh", "app/a.yaml") }, false},
		"a program that is none now": {func(t *testing.T, dir string) { chmod(t, dir, "app/run.sh", 0o644) }, true},
		"a conflict": {func(t *testing.T, dir string) {
			stock(t, dir, "checkout", "-q", "-b", "other")
			put(t, dir, "app/a.yaml", "a: 4\n")
			commit(t, dir, "other")
			stock(t, dir, "checkout", "-q", "main")
			put(t, dir, "app/a.yaml", "a: 5\n")
			commit(t, dir, "main")
			_, _ = try(dir, "merge", "other")
		}, false},
		"attributes above": {func(t *testing.T, dir string) {
			put(t, dir, ".gitattributes", "*.yaml eol=crlf\n")
			commit(t, dir, "attributes")
			remove(t, dir, "app")
			stock(t, dir, "checkout", "app")
		}, false},
		"a sparse checkout":                     {run("sparse-checkout", "set", "--no-cone", "/*", "!/app/a/"), false},
		"another repository within":             {func(t *testing.T, dir string) { stock(t, dir, "init", "-q", filepath.Join(dir, "app", "lib")) }, false},
		"the index in another form (split)":     {run("update-index", "--split-index"), true},
		"the index in another form (version 4)": {run("update-index", "--index-version", "4"), true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir, first := deepRepository(t)
			c.change(t, dir)
			settle(t, dir)
			r := open(t, dir)
			plain := git.Sides{Top: dir, From: tree(t, r, first)}
			for how, sides := range map[string]git.Sides{"without": plain, "with": plain.WithIndex()} {
				got := sides.SameFolder(filepath.Join(dir, "app"))
				if got.IsSame != c.same || got.IsPlain != c.same {
					t.Errorf("%s the index: %+v", how, got)
				}
				if c.same && (!got.Has("a.yaml") || !got.Has("a") || got.Has("deep.yaml")) {
					t.Errorf("%s the index it holds something else", how)
				}
			}
		})
	}
}

// deepRepository returns a repository whose folder app has other ones in it, and its commit.
func deepRepository(t *testing.T) (dir, commitID string) {
	t.Helper()
	dir = repository(t)
	put(t, dir, "app/a.yaml", "a: 1\n") // in Git before app/a, whose slash counts; by name after it
	put(t, dir, "app/a-z.yaml", "a: 2\n")
	put(t, dir, "app/a/b/deep.yaml", "deep: 1\n")
	put(t, dir, "app/run.sh", "true\n")
	chmod(t, dir, "app/run.sh", 0o755)
	commitID = commit(t, dir, "more")
	settle(t, dir)
	return dir, commitID
}

// TestNoObjectIsReadForAFolderThatTheIndexKnows takes away what a folder consists of in the repository.
func TestNoObjectIsReadForAFolderThatTheIndexKnows(t *testing.T) {
	t.Parallel()
	dir, _ := deepRepository(t)
	r := open(t, dir)
	sides := git.Sides{Top: dir, From: tree(t, r, "HEAD")}
	id := stock(t, dir, "rev-parse", "HEAD:app")
	remove(t, dir, filepath.Join(".git", "objects", id[:2], id[2:]))
	if sides.SameFolder(filepath.Join(dir, "app")).IsSame {
		t.Fatal("without the index nothing is read either, so that this test cannot fail")
	}
	if got := sides.WithIndex().SameFolder(filepath.Join(dir, "app")); !got.IsSame || !got.Has("values.yaml") {
		t.Errorf("with the index: %+v", got)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, dir, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, dir, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
		t.Fatal(err)
	}
}
