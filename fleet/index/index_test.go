package index_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/fleet/index"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// leftovers renders apps with arguments that named them, and returns what a later run finds left over.
func leftovers(t *testing.T, before map[string]string, later index.Run) (out []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name := range before {
		write(t, filepath.Join("out", name, fleet.Manifests), "a: b\n")
		write(t, filepath.Join(name, "a.yaml"), "a: b\n")
	}
	later.Dir = "out"
	if err := later.Write(t.Context(), t.TempDir(), index.Change{Written: before}); err != nil {
		t.Fatal(err)
	}
	have, err := index.Read("out")
	if err != nil {
		t.Fatal(err)
	}
	found, err := later.Leftovers(have)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range found {
		if l.Listed && !l.Unasked {
			out = append(out, l.Name)
		}
	}
	return out
}

func TestOnlyWhatTheArgumentsCoverIsLeftOver(t *testing.T) {
	byGlob := map[string]string{"apps/a": "apps/*", "apps/b": "apps/*", "other/c": "other/c"}
	byFolder := map[string]string{"apps/a@dev": ".", "apps/b": "."}
	for name, c := range map[string]struct {
		before map[string]string
		run    index.Run
		want   string
	}{
		"the same pattern":      {byGlob, index.Run{Arguments: []string{"apps/*"}, Names: []string{"apps/a"}}, "apps/b"},
		"another spelling":      {byGlob, index.Run{Arguments: []string{"./apps/*/"}, Names: []string{"apps/a"}}, "apps/b"},
		"one path":              {byGlob, index.Run{Arguments: []string{"apps/a"}, Names: []string{"apps/a"}}, ""},
		"a pattern over a path": {byGlob, index.Run{Arguments: []string{"other/*"}, Names: []string{"other/d"}}, "other/c"},
		"another pattern":       {byGlob, index.Run{Arguments: []string{"o*/*"}, Names: []string{"other/c"}}, ""},
		"the folder":            {byFolder, index.Run{Names: []string{"apps/b"}}, "apps/a@dev"},
		"a path in it":          {byFolder, index.Run{Arguments: []string{"apps/b"}, Names: []string{"apps/b"}}, ""},
		"an environment":        {map[string]string{"a@x": "a@x"}, index.Run{Arguments: []string{"a"}, Names: []string{"a@y"}}, "a@x"},
		"Applications of paths": {byGlob, index.Run{As: "argocd", Arguments: []string{"argo"}, Names: []string{"x"}}, "apps/a apps/b other/c"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(leftovers(t, c.before, c.run), " "); got != c.want {
				t.Errorf("left over are %q, want %q", got, c.want)
			}
		})
	}
}

func TestEachLeftoverIsOneShards(t *testing.T) {
	before := map[string]string{}
	for _, name := range strings.Fields("a b c d e f g h i j k l") {
		before["apps/"+name] = "apps/*"
	}
	var all []string
	for _, text := range []string{"1/3", "2/3", "3/3"} {
		run := index.Run{Arguments: []string{"apps/*"}, Names: []string{"apps/a", "apps/b"}}
		if err := run.Shard.Set(text); err != nil {
			t.Fatal(err)
		}
		part := leftovers(t, before, run)
		if len(part) == 0 || len(part) == 10 {
			t.Errorf("shard %s has %d of them", text, len(part))
		}
		all = append(all, part...)
	}
	slices.Sort(all)
	if got := strings.Join(all, " "); got != "apps/c apps/d apps/e apps/f apps/g apps/h apps/i apps/j apps/k apps/l" {
		t.Errorf("together they have %s", got)
	}
}

func TestRunsAtOnceLoseNothingInTheIndex(t *testing.T) {
	t.Chdir(t.TempDir())
	var runs sync.WaitGroup
	names := strings.Fields("a b c d e f g h")
	guards := t.TempDir()
	for _, name := range names {
		write(t, filepath.Join("out", name, fleet.Manifests), "a: b\n")
		runs.Go(func() {
			change := index.Change{Written: map[string]string{name: name}}
			if err := (index.Run{Dir: "out"}).Write(t.Context(), guards, change); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	text, err := os.ReadFile("out/" + index.Name)
	if err != nil || strings.Count(string(text), "\n") != len(names)+1 {
		t.Errorf("it holds %s, %v", text, err)
	}
}

func TestTheIndexLosesFilesThatOthersRemoved(t *testing.T) {
	t.Chdir(t.TempDir())
	guards, run := t.TempDir(), index.Run{Dir: "out"}
	for _, name := range []string{"a", "b", "c"} {
		write(t, filepath.Join("out", name, fleet.Manifests), "a: b\n")
	}
	all := index.Change{Written: map[string]string{"a": "a", "b": "b", "c": "c"}}
	if err := run.Write(t.Context(), guards, all); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll("out/b"); err != nil {
		t.Fatal(err)
	}
	if err := run.Write(t.Context(), guards, index.Change{Written: map[string]string{"a": "a"}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("out", index.Name))
	if err != nil {
		t.Fatal(err)
	}
	if _, lines, _ := strings.Cut(string(text), "\n"); lines != "a/manifests.yaml\t../a\nc/manifests.yaml\t../c\n" {
		t.Errorf("the index has %q", lines)
	}
}

func TestNothingIsRemovedThroughALink(t *testing.T) {
	outside := t.TempDir()
	t.Chdir(t.TempDir())
	write(t, filepath.Join(outside, "x", fleet.Manifests), "mine: true\n")
	write(t, "out/apps/a/manifests.yaml", "a: b\n")
	if err := os.Symlink(outside, "out/apps/link"); err != nil {
		t.Fatal(err)
	}
	write(t, "out/"+index.Name, "apps/a/manifests.yaml\t../apps/*\napps/link/x/manifests.yaml\t../apps/*/x\n")
	run := index.Run{Dir: "out", Arguments: []string{"apps/*/x"}}
	have, err := index.Read("out")
	if err != nil {
		t.Fatal(err)
	}
	found, err := run.Leftovers(have)
	if err != nil || len(found) != 1 {
		t.Fatalf("left over are %v, %v", found, err)
	}
	if err := run.Remove(found); err == nil {
		t.Error("a file outside of the folder is removed")
	}
	if _, err := os.Stat(filepath.Join(outside, "x", fleet.Manifests)); err != nil {
		t.Error(err)
	}
}

func TestNamesWithTabsAndQuotesComeBack(t *testing.T) {
	t.Chdir(t.TempDir())
	names := map[string]string{"a\tb": "*", `"q"`: "*", "# c": "#*", "<<<<<<< d": "*"}
	for name := range names {
		write(t, filepath.Join("out", name, fleet.Manifests), "a: b\n")
	}
	run := index.Run{Dir: "out", Arguments: []string{"*", "#*"}}
	if err := run.Write(t.Context(), t.TempDir(), index.Change{Written: names}); err != nil {
		t.Fatal(err)
	}
	have, err := index.Read("out")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := run.Leftovers(have); err != nil || len(found) != len(names) || !found[0].Listed {
		t.Errorf("left over are %v, %v", found, err)
	}
}
