package git_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFirstParentsAreThoseThatMergesWereMadeOn(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	put(t, dir, "a", "1")
	commit(t, dir, "one")
	stock(t, dir, "checkout", "-q", "-b", "side")
	put(t, dir, "b", "1")
	commit(t, dir, "aside")
	stock(t, dir, "checkout", "-q", "main")
	put(t, dir, "a", "2")
	commit(t, dir, "two")
	stock(t, dir, "merge", "-q", "--no-ff", "--no-edit", "side")
	want := strings.Fields(stock(t, dir, "rev-list", "--first-parent", "HEAD"))
	shallow := filepath.Join(t.TempDir(), "shallow")
	stock(t, dir, "clone", "-q", "--depth", "2", "file://"+dir, shallow)
	for _, c := range []struct {
		dir   string
		most  int
		want  []string
		isCut bool
	}{
		{dir, 100, want, false}, {dir, 2, want[:2], false},
		{shallow, 100, want[:2], true}, {shallow, 1, want[:1], false},
	} {
		got, isCut, err := open(t, c.dir).FirstParents("HEAD", c.most)
		if err != nil || isCut != c.isCut || !slices.Equal(got, c.want) {
			t.Errorf("at most %d of %s: %v, cut %t, %v; want %v", c.most, filepath.Base(c.dir), got, isCut, err, c.want)
		}
	}
}
