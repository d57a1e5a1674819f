package files_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/files"
)

func TestAPathIsWithinAFolderThatItsPartsBeginWith(t *testing.T) {
	for _, c := range []struct {
		root, path, rel string // rel is "" where path lies elsewhere
	}{
		{"/repo", "/repo", "."},
		{"/repo", "/repo/", "."},
		{"/repo", "/repo/apps/web", "apps/web"},
		{"/repo/", "/repo/apps", "apps"},
		{"/repo", "/", ""},
		{"/repo", "/repository", ""},
		{"/repo", "/other/repo", ""},
		{"/repo", "/repo/../other", ""},
		{"/repo", "/repo/apps/../web", "web"},
		{"/repo", "/repo/..x", "..x"},
		{"/repo", "/repo/..", ""},
		{"/repo/..x", "/repo/..x/a", "a"},
		{"/", "/", "."},
		{"/", "/repo", "repo"},
		{".", "apps", "apps"},
		{".", "..", ""},
		{".", "..x", "..x"},
		{"apps", "apps/web", "web"},
		{"apps", "web", ""},
		{"..", "apps", ""},
		{"/repo", "apps", ""},
		{"apps", "/apps", ""},
	} {
		root, path := filepath.FromSlash(c.root), filepath.FromSlash(c.path)
		rel, ok := files.Rel(root, path)
		if filepath.ToSlash(rel) != c.rel || ok != (c.rel != "") || files.Within(root, path) != ok {
			t.Errorf("%s in %s: %q, %v", c.path, c.root, rel, ok)
		}
	}
}

func TestPathsAreComparedAsTheLibraryCleansThem(t *testing.T) {
	paths := []string{"", "/"}
	for range 2 {
		for _, path := range paths {
			for _, name := range []string{"a", "ab", ".", "..", "...", ".a", "..a", ""} {
				paths = append(paths, path+name, path+"/"+name)
			}
		}
		slices.Sort(paths)
		paths = slices.Compact(paths)
	}
	for _, root := range paths {
		for _, path := range paths {
			want, err := filepath.Rel(root, path)
			isIn := err == nil && filepath.IsLocal(want)
			if got, ok := files.Rel(root, path); ok != isIn || ok && got != want {
				t.Fatalf("%q in %q: %q, %v; want %q, %v", path, root, got, ok, want, isIn)
			}
		}
	}
}

func TestALinkIsWithinTheFolderItLiesIn(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	link := filepath.Join(root, "link")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Skip(err)
	}
	if !files.Within(root, link) || files.Within(elsewhere, link) {
		t.Error("a link was followed")
	}
}

func TestUpwardsEndsAtTheTop(t *testing.T) {
	for _, c := range []struct {
		dir, root string
		want      []string
	}{
		{"/repo/apps/web", "/repo", []string{"/repo/apps/web", "/repo/apps", "/repo"}},
		{"/repo", "/repo", []string{"/repo"}},
		{"/repo", "/", []string{"/repo", "/"}},
		{"/", "/", []string{"/"}},
		{"/other", "/repo", nil},
	} {
		if got := slices.Collect(files.Upwards(c.dir, c.root)); !slices.Equal(got, c.want) {
			t.Errorf("from %s to %s: %q", c.dir, c.root, got)
		}
	}
	for at := range files.Upwards("/repo/apps", "/repo") {
		if at != "/repo/apps" {
			t.Errorf("went on to %s", at)
		}
		break
	}
}
