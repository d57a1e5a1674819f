package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/git"
)

// TestWhatIsTheSameOnBothSidesIsTold changes one thing at a time, and asks of the work tree and of the commit that it
// becomes.
func TestWhatIsTheSameOnBothSidesIsTold(t *testing.T) {
	t.Parallel()
	link := func(t *testing.T, dir, target string) {
		t.Helper()
		path := filepath.Join(dir, "app", "link")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range map[string]struct {
		change                 func(t *testing.T, dir string)
		app, names, file, link bool // the same: folder app, its names, app/values.yaml, app/link
	}{
		"nothing":              {func(*testing.T, string) {}, true, true, true, true},
		"a file beside":        {func(t *testing.T, dir string) { put(t, dir, "app.yaml", "x") }, true, true, true, true},
		"the file":             {func(t *testing.T, dir string) { put(t, dir, "app/values.yaml", "a: 2\n") }, false, true, false, true},
		"a file below":         {func(t *testing.T, dir string) { put(t, dir, "app/templates/x.yaml", "x: 2\n") }, false, true, true, true},
		"a new file":           {func(t *testing.T, dir string) { put(t, dir, "app/new.yaml", "") }, false, false, true, true},
		"a new file below":     {func(t *testing.T, dir string) { put(t, dir, "app/templates/new.yaml", "") }, false, true, true, true},
		"a link":               {func(t *testing.T, dir string) { link(t, dir, "../shared/base.yaml") }, false, true, true, false},
		"what a link leads to": {func(t *testing.T, dir string) { put(t, dir, "app.yaml", "other: 1\n") }, true, true, true, true},
		"a file for the link": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "app", "link")); err != nil {
				t.Fatal(err)
			}
			put(t, dir, "app/link", "beside: 1\n")
		}, false, false, true, false},
		"the file is gone": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "app", "values.yaml")); err != nil {
				t.Fatal(err)
			}
		}, false, false, false, true},
	} {
		t.Run(what, func(t *testing.T) {
			dir := repository(t)
			if err := os.Symlink("../app.yaml", filepath.Join(dir, "app", "link")); err != nil {
				t.Fatal(err)
			}
			first := commit(t, dir, "link")
			c.change(t, dir)
			report := func(where string, s git.Sides) {
				t.Helper()
				for asked, pair := range map[string][2]bool{
					"the folder":   {s.Same(filepath.Join(dir, "app")), c.app},
					"its names":    {s.SameNames(filepath.Join(dir, "app")), c.names},
					"the file":     {s.SameFile(filepath.Join(dir, "app", "values.yaml")), c.file},
					"the link":     {s.SameFile(filepath.Join(dir, "app", "link")), c.link},
					"what is none": {s.Same(filepath.Join(dir, "none")), false},
				} {
					if pair[0] != pair[1] {
						t.Errorf("%s: %s is the same: %v", where, asked, pair[0])
					}
				}
			}
			r := open(t, dir)
			report("the work tree", git.Sides{Top: dir, From: tree(t, r, first)})
			second := commit(t, dir, "second")
			r = open(t, dir)
			report("a revision", git.Sides{Top: dir, From: tree(t, r, first), To: tree(t, r, second)})
		})
	}
}

func TestChangedFilesAreListedAndWhatGitIgnoresIsNot(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	repo := open(t, dir)
	from, err := repo.Tree("HEAD")
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "app/values.yaml", "a: 2\n")
	put(t, dir, "app/new/deep.yaml", "a: 1\n")
	put(t, dir, "skipped/x.yaml", "a: 1\n")
	put(t, dir, "app/new/.gitignore", "*.tmp\n.gitignore\n/built/\n!kept.tmp\n")
	put(t, dir, "app/new/scratch.tmp", "")
	put(t, dir, "app/new/kept.tmp", "")
	put(t, dir, "app/new/built/x.yaml", "")
	put(t, dir, ".git/info/exclude", "notes.txt\n")
	put(t, dir, "app/notes.txt", "")
	if err := os.Remove(filepath.Join(dir, "shared", "base.yaml")); err != nil {
		t.Fatal(err)
	}
	list := func(s git.Sides) string {
		var out []string
		for _, path := range s.ChangedFiles(dir, func(at string) bool { return filepath.Base(at) == "skipped" }) {
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, filepath.ToSlash(rel))
		}
		return strings.Join(out, " ")
	}
	const all = "app/new/deep.yaml app/new/kept.tmp app/values.yaml shared/base.yaml"
	if got := list(git.Sides{Top: dir, From: from, Head: from}); got != all {
		t.Errorf("in the work tree: %s", got)
	}
	commit(t, dir, "second")
	to, err := repo.Tree("HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if got := list(git.Sides{Top: dir, From: from, Head: to}); got != all {
		t.Errorf("in the work tree, committed: %s", got)
	}
	if got := list(git.Sides{Top: dir, From: from, To: to}); got != all {
		t.Errorf("in two commits: %s", got)
	}
}
