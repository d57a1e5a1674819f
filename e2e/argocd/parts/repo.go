package parts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// RepoServer is the name of Argo CD's renderer among the components of a test binary.
const RepoServer = "argocd-repo-server"

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

// URL is where Argo CD finds the repository.
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

// Renderer is a repo-server that listens.
type Renderer struct {
	*Process
	Address string
	Plugins string // the folder where it looks for the sockets of plugin servers
}

// StartRepoServer starts the real repo-server on a Redis, with the real helm and kustomize on its PATH, and with more
// variables and flags.
func StartRepoServer(t testing.TB, redis string, env []string, flags ...string) *Renderer {
	t.Helper()
	dir := Folder(t)
	r := &Renderer{Plugins: filepath.Join(dir, "p")}
	for _, name := range []string{"p", "h", "t", "tls", "ssh"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	WriteFile(t, filepath.Join(dir, "ssh", "ssh_known_hosts"), "")
	port, metrics := FreePort(t), FreePort(t)
	r.Address = "127.0.0.1:" + port
	r.Process = Start(t, RepoServer, append([]string{
		"PATH=" + strings.Join([]string{tools(t), os.Getenv("PATH")}, ":"),
		"HOME=" + filepath.Join(dir, "h"),
		"TMPDIR=" + filepath.Join(dir, "t"),
		"ARGOCD_GPG_ENABLED=false",
		"ARGOCD_PLUGINSOCKFILEPATH=" + r.Plugins,
		"ARGOCD_TLS_DATA_PATH=" + filepath.Join(dir, "tls"),
		"ARGOCD_SSH_DATA_PATH=" + filepath.Join(dir, "ssh"),
		"ARGOCD_ASK_PASS_SOCK=" + filepath.Join(dir, "ask"),
		"ARGOCD_PAUSE_GEN_AFTER_FAILED_ATTEMPTS=3",
	}, env...), append([]string{
		"--redis", redis, "--disable-tls", "--address", "127.0.0.1", "--port", port, "--metrics-address", "127.0.0.1",
		"--metrics-port", metrics,
		"--loglevel", "debug", "--plugin-tar-exclude", ".git",
	}, flags...)...)
	r.Until(t, "it listens", func() bool { return strings.Contains(r.Log(), "starting grpc server") })
	return r
}
