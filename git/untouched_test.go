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
