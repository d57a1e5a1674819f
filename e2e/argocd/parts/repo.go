package parts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// RepoServer is the name of Argo CD's renderer among the components of a test binary.
const RepoServer = "argocd-repo-server"

// Renderer is a repo-server that listens.
type Renderer struct {
	*process.Process
	Address string
	Plugins string // the folder where it looks for the sockets of plugin servers
}

// StartRepoServer starts the real repo-server on a Redis, with the real helm and kustomize on its PATH, and with more
// variables and flags.
func StartRepoServer(t testing.TB, redis string, env []string, flags ...string) *Renderer {
	t.Helper()
	dir := folder.Empty(t)
	r := &Renderer{Plugins: filepath.Join(dir, "p")}
	for _, name := range []string{"p", "h", "t", "tls", "ssh", "bin"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	folder.WriteFile(t, filepath.Join(dir, "ssh", "ssh_known_hosts"), "")
	layVerifyWrapper(t, filepath.Join(dir, "bin"))
	port, metrics := process.FreePort(t), process.FreePort(t)
	r.Address = "127.0.0.1:" + port
	r.Process = Start(t, RepoServer, append([]string{
		"PATH=" + strings.Join([]string{tools(t), filepath.Join(dir, "bin"), os.Getenv("PATH")}, ":"),
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
