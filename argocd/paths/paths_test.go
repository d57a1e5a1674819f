package paths_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/paths"
	"github.com/rollstamp/rollstamp/files"
)

// repository writes files with their own path as content into a new folder and returns its path.
func repository(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// read lets a recorder see files, and folders (with a slash at their end) being read.
func read(t *testing.T, root string, names ...string) paths.Reads {
	t.Helper()
	r := files.NewRecorder(nil)
	for _, name := range names {
		path := filepath.Join(root, name)
		var err error
		if strings.HasSuffix(name, "/") {
			_, err = r.ReadDir(path)
		} else {
			_, err = r.ReadFile(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return paths.Of(r, filepath.Join(root, "apps/web"), root)
}

func TestTheAnnotationNamesWhatWasReadAndNoMore(t *testing.T) {
	root := repository(t, "apps/web/a.yaml", "apps/shared.yaml", "base/a.yaml", "base/b.yaml", "part/a.yaml",
		"part/unread.yaml",
		"many/1", "many/2", "many/3", "many/4", "many/5", "many/6", "many/unread", "chart/templates/x.yaml", "chart/Chart.yaml", "a;b")
	for name, c := range map[string]struct {
		reads []string
		want  string
	}{
		"the application alone":          {[]string{"apps/web/a.yaml", "apps/web/"}, "."},
		"a file above":                   {[]string{"apps/shared.yaml"}, ".;../shared.yaml"},
		"a folder of which all was read": {[]string{"base/a.yaml", "base/b.yaml"}, ".;../../base"},
		"one file of a folder":           {[]string{"part/a.yaml"}, ".;../../part/a.yaml"},
		"many files of a folder": {[]string{"many/1", "many/2", "many/3", "many/4",
			"many/5", "many/6"}, ".;../../many"},
		"a folder that was listed, whatever of it was read": {[]string{"chart/", "chart/templates/",
			"chart/templates/x.yaml"}, ".;../../chart"},
		"the folder above": {[]string{"apps/", "apps/shared.yaml"}, ".;.."},
		"files of the folder above are files": {[]string{"apps/shared.yaml", "apps/web/a.yaml"},
			".;../shared.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			items, err := read(t, root, c.reads...).Items()
			if got := paths.Value(items); err != nil || got != c.want {
				t.Errorf("got %q, want %q: %v", got, c.want, err)
			}
		})
	}
	if _, err := read(t, root, "a;b").Items(); err == nil {
		t.Error("a name that the annotation cannot hold was taken")
	}
}

func TestALinkIsReadAsWellAsWhatItLeadsTo(t *testing.T) {
	root := repository(t, "apps/web/a.yaml", "real/x.yaml", "links/other")
	if err := os.Symlink("../real/x.yaml", filepath.Join(root, "links/x.yaml")); err != nil {
		t.Fatal(err)
	}
	items, err := read(t, root, "links/x.yaml").Items()
	if got := paths.Value(items); err != nil || got != ".;../../links/x.yaml;../../real/x.yaml" {
		t.Errorf("got %q: %v", got, err)
	}
}

func TestFilesAreThoseOfTheRepository(t *testing.T) {
	root, outside := repository(t, "apps/web/a.yaml", "base/a.yaml"), repository(t, "key")
	r := files.NewRecorder(nil)
	for _, path := range []string{filepath.Join(root, "base/a.yaml"), filepath.Join(outside, "key"),
		filepath.Join(root, "apps/web/a.yaml")} {
		if _, err := r.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = r.ReadFile(filepath.Join(root, "absent"))
	got := paths.Of(r, filepath.Join(root, "apps/web"), root, filepath.Join(root, "base"), "").Files()
	if !slices.Equal(got, []string{"apps/web/a.yaml", "base/a.yaml"}) {
		t.Errorf("files are %q", got)
	}
}

func TestPathsFromTheTopMeanTheSameForEverySource(t *testing.T) {
	root := repository(t, "apps/web/a.yaml", "apps/shared.yaml", "base/a.yaml")
	reads := read(t, root, "apps/web/a.yaml", "apps/shared.yaml", "base/a.yaml", "base/")
	items, err := reads.Items()
	if err != nil {
		t.Fatal(err)
	}
	if got := paths.Value(reads.FromTop(items)); got != "/apps/web;/base;/apps/shared.yaml" {
		t.Errorf("got %q", got)
	}
	if left := reads.Missing(paths.Value(reads.FromTop(items))); len(left) > 0 {
		t.Errorf("%q are left out", left)
	}
	if got := strings.Join(reads.UnsentFiles(".."), " "); got != "base/a.yaml" {
		t.Errorf("%q are not sent", got)
	}
}

func TestAnAnnotationIsReadAsArgoCDDoes(t *testing.T) {
	root := repository(t, "apps/web/a.yaml", "base/a.yaml", "base/b.yaml", "top.yaml")
	reads := read(t, root, "apps/web/a.yaml", "base/a.yaml", "base/b.yaml", "top.yaml")
	for value, c := range map[string]struct{ left, sent string }{
		"":                              {"apps/web/a.yaml base/a.yaml base/b.yaml top.yaml", "apps/web"},
		".":                             {"base/a.yaml base/b.yaml top.yaml", "apps/web"},
		".;../../base":                  {"top.yaml", "."},
		".;/base;/top.yaml":             {"", "."},
		".;../../base/*.yaml;/top.yaml": {"", "."},
		".;../../base/a.yaml":           {"base/b.yaml top.yaml", "."},
		"..":                            {"base/a.yaml base/b.yaml top.yaml", "apps"},
		".;../../../../base":            {"top.yaml", "."}, // nothing leads out of the repository
	} {
		if got := strings.Join(reads.Missing(value), " "); got != c.left {
			t.Errorf("%q leaves out %q, want %q", value, got, c.left)
		}
		if got := reads.SentFolder(value); got != c.sent {
			t.Errorf("for %q %q is sent, want %q", value, got, c.sent)
		}
	}
}

func TestSeveralSourcesHaveOneAnnotation(t *testing.T) {
	root := repository(t, "apps/web/a.yaml", "base/a.yaml", "base/unread.yaml")
	one, two := read(t, root, "apps/web/a.yaml", "base/a.yaml"), read(t, root, "base/a.yaml", "apps/web/a.yaml")
	two.Dir = filepath.Join(root, "base")
	all := paths.Sources{one, two}
	items, err := all.Items(false)
	if err != nil {
		t.Fatal(err)
	}
	if got := paths.Value(items); got != "/apps/web;/base/a.yaml;/base;/apps/web/a.yaml" {
		t.Errorf("the value is %s", got)
	}
	if items, err = all[:1].Items(false); err != nil || paths.Value(items) != ".;../../base/a.yaml" {
		t.Errorf("of one source it is %s, %v", paths.Value(items), err)
	}
	if items, err = all[:1].Items(true); err != nil || paths.Value(items) != "/apps/web;/base/a.yaml" {
		t.Errorf("beside others it is %s, %v", paths.Value(items), err)
	}
	if got := all.Files(); !slices.Equal(got, []string{"apps/web/a.yaml", "base/a.yaml"}) {
		t.Errorf("the files are %q", got)
	}
	if got := all.Missing("/apps"); !slices.Equal(got, []string{"base/a.yaml"}) {
		t.Errorf("left out are %q", got)
	}
}
