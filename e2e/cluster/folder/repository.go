package folder

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repository is a Git repository on disk.
type Repository struct{ Dir string }

// Commit makes a repository of a folder's files, or adds a commit with what has changed, and returns the revision.
func (r Repository) Commit(t testing.TB, message string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(r.Dir, ".git")); err != nil {
		r.git(t, "init", "--quiet", "--initial-branch=main")
	}
	r.git(t, "add", "--all")
	r.git(t, "commit", "--quiet", "--allow-empty", "--message", message)
	return r.git(t, "rev-parse", "HEAD")
}

// URL is where the repository is found on this machine.
func (r Repository) URL() string { return "file://" + r.Dir }

func (r Repository) git(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=e2e", "-c", "user.email=e2e@example.com", "-c",
		"commit.gpgsign=false"}, args...)...)
	cmd.Dir = r.Dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
