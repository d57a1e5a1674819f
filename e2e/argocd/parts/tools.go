package parts

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// FreePort is a port of the loopback address that nobody listens on.
func FreePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// The real tools that the repo-server runs are those that the rest of our tests are held against: the pins under
// tools/.
var pinned = []struct{ name, pkg, ldflags string }{
	{"helm", "helm.sh/helm/v3/cmd/helm", "-s -w -X helm.sh/helm/v3/internal/version.version=v3.22.0 -X helm.sh/helm/v3/internal/version.gitTreeState=clean"},
	{"kustomize", "sigs.k8s.io/kustomize/kustomize/v5", "-s -w"},
}

var toolFolder = sync.OnceValues(buildTools)

// tools is a folder for PATH with helm, kustomize, and the script by which Argo CD asks git about signatures.
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
	root, err := checkout()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "bin", "e2e", "tools")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, tool := range pinned {
		if err := install(dir, tool.name, func(part string) error {
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
	source, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3").Output()
	if err != nil {
		return "", fmt.Errorf("find Argo CD's source: %w", err)
	}
	return dir, install(dir, "git-verify-wrapper.sh", func(part string) error {
		script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(source)), "hack", "git-verify-wrapper.sh"))
		if err != nil {
			return err
		}
		return os.WriteFile(part, script, 0o755)
	})
}

// install makes a file in a folder whole or not at all: several test binaries may do so at once.
func install(dir, name string, write func(part string) error) error {
	part := filepath.Join(dir, fmt.Sprintf("%s.%d", name, os.Getpid()))
	defer os.Remove(part)
	if err := write(part); err != nil {
		return err
	}
	return os.Rename(part, filepath.Join(dir, name))
}
