// Package parts starts the real controllers of Flux beside a Kubernetes control plane, with a Git server, a registry and
// a Helm repository in the test's process, and reads back what they applied.
package parts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// The controllers, by the names of their programs and modules.
const (
	SourceController    = "source-controller"
	KustomizeController = "kustomize-controller"
	HelmController      = "helm-controller"
)

var controllers = []string{SourceController, KustomizeController, HelmController}

// System is the namespace that Flux itself is in.
const System = "flux-system"

// Flux is a cluster with Flux in it.
type Flux struct {
	*cluster.Cluster
	Git        *GitServer
	Registry   *Registry
	controller map[string]*process.Process
}

// Start starts a control plane with the three controllers, which end with the test.
func Start(t testing.TB) *Flux {
	t.Helper()
	binaries, definitions := build(t), definitions(t)
	f := &Flux{Cluster: cluster.Start(t), controller: map[string]*process.Process{}}
	f.Git, f.Registry = startGit(t), startRegistry(t)
	f.Define(t, definitions...)
	f.Create(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+System+"}}")
	storage := process.FreePort(t)
	flags := map[string][]string{
		SourceController: {
			"--storage-path=" + folder.Empty(t), "--storage-addr=127.0.0.1:" + storage, "--storage-adv-addr=127.0.0.1:" + storage,
		},
		KustomizeController: {"--http-retry=1"},
		HelmController:      {"--http-retry=1"},
	}
	for _, name := range controllers {
		f.controller[name] = f.run(t, filepath.Join(binaries, name), flags[name])
	}
	return f
}

// run starts one controller, and waits until it is ready.
func (f *Flux) run(t testing.TB, binary string, flags []string) *process.Process {
	t.Helper()
	health := process.FreePort(t)
	cmd := exec.Command(binary, append([]string{
		"--metrics-addr=127.0.0.1:" + process.FreePort(t), "--health-addr=127.0.0.1:" + health, "--log-level=info",
		"--requeue-dependency=1s", "--min-retry-delay=200ms", "--max-retry-delay=2s",
	}, flags...)...)
	dir := folder.Empty(t)
	cmd.Env = []string{
		"KUBECONFIG=" + f.Kubeconfig, "RUNTIME_NAMESPACE=" + System, "HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH"),
	}
	p := process.Run(t, filepath.Base(binary), cmd)
	p.Until(t, "it is ready", func() bool { return answers("http://127.0.0.1:" + health + "/readyz") })
	return p
}

// Log is what a controller has logged so far.
func (f *Flux) Log(controller string) string { return f.controller[controller].Log() }

// definitions are the CustomResourceDefinitions that lie in the controllers' modules.
func definitions(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, name := range controllers {
		dir := filepath.Join(moduleFolder(t, name), "config", "crd", "bases")
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no definitions in %s: %v", dir, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(text))
		}
	}
	return out
}

// moduleFolder is where the source of a controller lies, which the go tool downloads where it has to.
func moduleFolder(t testing.TB, controller string) string {
	t.Helper()
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/fluxcd/"+controller)
	cmd.Dir = filepath.Join(folder.Root(t), "e2e", "flux", "controllers")
	out, err := cmd.Output()
	dir := strings.TrimSpace(string(out))
	if err == nil && dir == "" {
		err = fmt.Errorf("go list has no folder for it")
	}
	if err != nil {
		t.Fatalf("find %s: %v", controller, err)
	}
	return dir
}
