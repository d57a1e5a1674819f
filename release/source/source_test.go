package source_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/source"
)

// checkout makes a repository with one commit of 2026-01-02 03:04:05 UTC, tagged v1.2.3.
func checkout(t *testing.T) string {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", "go.mod")
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first")
	git(t, dir, "tag", "v1.2.3")
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func read(t *testing.T, dir, version string) source.Tree {
	t.Helper()
	tree, err := source.Read(dir, version)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestACleanCheckoutIsItsTag(t *testing.T) {
	tree := read(t, checkout(t), "")
	if tree.Version != "1.2.3" || tree.Name() != "v1.2.3" || !tree.IsRelease() || len(tree.Revision) != 40 {
		t.Errorf("%+v", tree)
	}
	if got := tree.Date.Format("2006-01-02T15:04:05Z07:00"); got != "2026-01-02T03:04:05Z" {
		t.Errorf("the date is %s, want the commit's", got)
	}
}

func TestTheVersionOfATreeWithChangesSaysSo(t *testing.T) {
	for name, change := range map[string]string{"a changed file": "go.mod", "a new file": "new.go"} {
		t.Run(name, func(t *testing.T) {
			dir := checkout(t)
			if err := os.WriteFile(filepath.Join(dir, change), []byte("module y\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			for asked, want := range map[string]string{
				"": "1.2.3-dirty", "v2.0.0": "2.0.0-dirty", "v2.0.0-dirty": "2.0.0-dirty",
			} {
				if tree := read(t, dir, asked); tree.Version != want || tree.IsRelease() {
					t.Errorf("asked for %q: %s, a release: %t", asked, tree.Version, tree.IsRelease())
				}
			}
		})
	}
}

func TestSourceDateEpochIsTheDate(t *testing.T) {
	dir := checkout(t)
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if got := read(t, dir, "").Date.Unix(); got != 1700000000 {
		t.Errorf("the date is %d", got)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := source.Read(dir, ""); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("yesterday: %v", err)
	}
}

func TestSourceWithoutARepositoryIsNoRelease(t *testing.T) {
	dir := checkout(t)
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	tree := read(t, dir, "v1.2.3")
	if tree.IsRelease() || tree.Version != "1.2.3-dirty" || tree.Date.Year() != 1980 {
		t.Errorf("%+v", tree)
	}
	for _, asked := range []string{"", "unknown"} {
		if tree := read(t, dir, asked); tree.Version != "unknown" || tree.IsRelease() {
			t.Errorf("asked for %q: %+v", asked, tree)
		}
	}
	if _, err := source.Read(t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "go.mod") {
		t.Errorf("a folder without source: %v", err)
	}
}

func TestVersionsThatNoTagCanHoldAreRefused(t *testing.T) {
	if _, err := source.Read(checkout(t), "1.0.0+build"); err == nil || !strings.Contains(err.Error(), "1.0.0+build") {
		t.Errorf("1.0.0+build: %v", err)
	}
}

func TestAVersionHasThreeNumbers(t *testing.T) {
	dir := checkout(t)
	for _, version := range []string{"v0.1", "0.1", "1", "v1-rc.1", "0.1-rc.1", "0.1.0.1", "0.01.0"} {
		if _, err := source.Read(dir, version); err == nil || !strings.Contains(err.Error(), "want three numbers") {
			t.Errorf("%s: %v", version, err)
		}
	}
	for version, want := range map[string]string{
		"v0.1.0": "v0.1.0", "0.1.0-rc.1": "v0.1.0-rc.1", "0.1.0-3-gabcdef0": "v0.1.0-3-gabcdef0",
		"1234567": "1234567", "95af30b": "95af30b", // commits, by git describe
	} {
		if tree := read(t, dir, version); tree.Name() != want {
			t.Errorf("%s: %+v", version, tree)
		}
	}
}
