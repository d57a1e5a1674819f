package ci

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/scale/divided"
)

// act returns the real act, built once from its pin.
func act(t *testing.T) string {
	t.Helper()
	root := folder.Root(t)
	path := filepath.Join(root, "bin", "e2e", "act")
	pin, err := os.Stat(filepath.Join(root, "tools", "act", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if built, err := os.Stat(path); err == nil && built.ModTime().After(pin.ModTime()) {
		return path
	}
	err = folder.Install(filepath.Dir(path), "act", func(part string) error {
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", part, "github.com/nektos/act")
		cmd.Dir = filepath.Join(root, "tools", "act")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build act: %w\n%s", err, out)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runWorkflow runs the workflow for a pull request, and returns the folder of its artifacts. Actions of GitHub,
// which are fetched from there otherwise, have a stand-in each; matrix, needs, conditions and steps are act's.
func runWorkflow(t *testing.T, r divided.Repository) (artifacts, log string, exit int) {
	t.Helper()
	artifacts = t.TempDir()
	args := []string{"pull_request", "--strict", "--platform", "ubuntu-latest=-self-hosted", "--no-cache-server",
		"--env", "ARTIFACTS=" + artifacts}
	for _, action := range []string{"setup-go@v7.0.0", "upload-artifact@v7.0.0", "download-artifact@v8.0.1"} {
		at, err := filepath.Abs(filepath.Join("testdata", "actions", action))
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "--local-repository", "actions/"+action+"="+at)
	}
	cmd := exec.Command(act(t), args...)
	cmd.Dir, cmd.Env = r.Dir, environment(t)
	log, exit = start(t, cmd)
	return artifacts, log, exit
}

func newGitHub(t *testing.T) divided.Repository {
	t.Helper()
	needs(t, "git", "bash")
	return divided.New(t, map[string]string{".github/workflows/restarts.yaml": divided.Example(t, "github-actions.yml")})
}

func TestAMatrixOfGitHubReportsWhatOneRunDoes(t *testing.T) {
	r := newGitHub(t)
	want, _ := r.Report(t, "html")
	artifacts, log, exit := runWorkflow(t, r)
	if exit != 0 {
		t.Errorf("the workflow ends with %d", exit)
	}
	for i, file := range divided.Parts(4) {
		if _, err := os.Stat(filepath.Join(artifacts, fmt.Sprint("part-", i), file)); err != nil {
			t.Error(err)
		}
	}
	equal(t, filepath.Join(artifacts, "restarts", "restarts.html"), want, log)
}

func TestAnApplicationThatFailsFailsTheMatrixOfGitHubAndIsReported(t *testing.T) {
	r := newGitHub(t)
	r.Break(t)
	want, _ := r.Report(t, "html")
	artifacts, log, exit := runWorkflow(t, r)
	if exit == 0 {
		t.Error("the workflow succeeds")
	}
	equal(t, filepath.Join(artifacts, "restarts", "restarts.html"), want, log)
}
