package parts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// The real tools that the repo-server runs are those that the rest of our tests are held against: the pins under
// tools/.
var pinned = []struct{ name, pkg, ldflags string }{
	{"helm", "helm.sh/helm/v3/cmd/helm", "-s -w -X helm.sh/helm/v3/internal/version.version=v3.22.0 -X helm.sh/helm/v3/internal/version.gitTreeState=clean"},
	{"kustomize", "sigs.k8s.io/kustomize/kustomize/v5", "-s -w"},
}

var toolFolder = sync.OnceValues(buildTools)

// tools is a folder for PATH with helm and kustomize.
func tools(t testing.TB) string {
	t.Helper()
	dir, err := toolFolder()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Tool is the path of the real helm or kustomize.
func Tool(t testing.TB, name string) string { return filepath.Join(tools(t), name) }

func buildTools() (string, error) {
	root, err := folder.Checkout()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "bin", "e2e", "tools")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, tool := range pinned {
		if err := folder.Install(dir, tool.name, func(part string) error {
			cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", tool.ldflags, "-o", part, tool.pkg)
			cmd.Dir = filepath.Join(root, "tools", tool.name)
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("build %s: %w\n%s", tool.name, err, out)
			}
			return nil
		}); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// layVerifyWrapper writes the script by which Argo CD asks git about signatures into a folder.
func layVerifyWrapper(t testing.TB, dir string) {
	t.Helper()
	const name = "git-verify-wrapper.sh"
	script, err := os.ReadFile(filepath.Join(Source(t), "hack", name))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), script, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}
