package parts

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// GitServer serves repositories over HTTP with Git's own program for that.
type GitServer struct{ url, root string }

func startGit(t testing.TB) *GitServer {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := folder.Empty(t)
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env: []string{
			"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		},
	})
	t.Cleanup(server.Close)
	return &GitServer{url: server.URL, root: root}
}

// Serve serves a repository under a name, and returns its address.
func (g *GitServer) Serve(t testing.TB, name string, repo folder.Repository) string {
	t.Helper()
	if err := os.Symlink(repo.Dir, filepath.Join(g.root, name)); err != nil {
		t.Fatal(err)
	}
	return g.url + "/" + name
}

func answers(url string) bool {
	response, err := http.Get(url)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}
