package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitIn runs git in a folder, as somebody.
func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// tagged is a repository whose main has a commit with the tag v1.2.3, and whose changelog has that version.
func tagged(t *testing.T) string {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "")
	dir := files(t, map[string]string{
		"go.mod":                "module x\n",
		"examples/hooks.yaml":   "rev: v1.2.3\n",
		"examples/ci/jobs.yaml": "image: ghcr.io/rollstamp/rollstamp:1.2.3-shell\nuses: rollstamp/rollstamp@v1.2.3\nuses: a/b@v4.5.6\n",
		"CHANGELOG.md": "# Changes\n\nHow to read them.\n\n## 1.2.3 (2026-12-01)\n\nIt is quicker.\n\n### More\n\n- a thing\n\n" +
			"## 1.2.2 (2026-11-01)\n\nOlder.\n",
	})
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-q", "-m", "one")
	gitIn(t, dir, "tag", "-m", "1.2.3", "v1.2.3")
	return dir
}

func TestAReleaseIsATaggedCommitOfMainThatTheChangelogKnows(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(dir string)
		version string
		want    string // empty: it is ready
	}{
		"ready":             {version: "1.2.3"},
		"no version":        {want: "ready needs -version"},
		"no version at all": {version: "newest", want: "newest is no version"},
		"another version":   {version: "1.3.0", want: `CHANGELOG.md begins with "## 1.2.3 (2026-12-01)": a release wants "## 1.3.0 (YYYY-MM-DD)"`},
		"changed files": {version: "1.2.3", want: "1.2.3-dirty is no version of a commit",
			change: func(dir string) { _ = os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module y\n"), 0o644) }},
		"a commit of a branch": {version: "1.2.3", want: "is not on main", change: func(dir string) {
			gitIn(t, dir, "checkout", "-q", "-b", "topic")
			gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
		}},
		"a commit after the tag": {version: "1.2.3", want: "the tag v1.2.3 leads to", change: func(dir string) {
			gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
		}},
		"no such branch": {version: "1.2.3", want: "git merge-base: ", change: func(dir string) { gitIn(t, dir, "branch", "-m", "trunk") }},
		"an example of another version": {version: "1.2.3", want: `examples/hooks.yaml names "rev: v1.2.2", and not 1.2.3`,
			change: func(dir string) {
				_ = os.WriteFile(filepath.Join(dir, "examples/hooks.yaml"), []byte("rev: v1.2.2\n"), 0o644)
				gitIn(t, dir, "commit", "-q", "-a", "-m", "two")
				gitIn(t, dir, "tag", "-f", "-m", "1.2.3", "v1.2.3")
			}},
		"not dated": {version: "1.2.3", want: `begins with "## 1.2.3 (unreleased)"`, change: func(dir string) {
			changeLog(t, dir, "## 1.2.3 (unreleased)\n\nIt is quicker.\n")
		}},
		"not described": {version: "1.2.3", want: "CHANGELOG.md says nothing about 1.2.3", change: func(dir string) {
			changeLog(t, dir, "## 1.2.3 (2026-12-01)\n\n## 1.2.2 (2026-11-01)\n\nOlder.\n")
		}},
		"without a changelog's headings": {version: "1.2.3", want: `CHANGELOG.md begins with`, change: func(dir string) { changeLog(t, dir, "") }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tagged(t)
			if c.change != nil {
				c.change(dir)
			}
			err := run(t.Context(), []string{"ready", "-source", dir, "-branch", "main", "-version", c.version})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// changeLog commits another changelog, and moves the tag there.
func changeLog(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "commit", "-q", "-a", "-m", "changelog")
	gitIn(t, dir, "tag", "-f", "-m", "1.2.3", "v1.2.3")
}

func TestTheNotesAreTheSectionOfTheVersion(t *testing.T) {
	changelog, err := os.ReadFile(filepath.Join(tagged(t), "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	notes, err := releaseNotes(string(changelog), "1.2.3")
	if want := "It is quicker.\n\n### More\n\n- a thing"; err != nil || notes != want {
		t.Errorf("%v, the notes are %q", err, notes)
	}
}
