package ci

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/scale/divided"
)

// gitlabCILocal is the version whose dependencies run with the Node of Debian.
const gitlabCILocal = "4.65.0"

// gitlab returns gitlab-ci-local, which npm fetches once.
func gitlab(t *testing.T) string {
	t.Helper()
	name := "gitlab-ci-local-" + gitlabCILocal
	dir := filepath.Join(folder.Root(t), "bin", "e2e")
	path := filepath.Join(dir, name, "node_modules", ".bin", "gitlab-ci-local")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	needs(t, "npm")
	err := folder.Install(dir, name, func(part string) error {
		cmd := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", part,
			"gitlab-ci-local@"+gitlabCILocal)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("fetch %s: %w\n%s", name, err, out)
		}
		return nil
	})
	if err != nil {
		t.Skip(err)
	}
	return path
}

// runPipeline runs the pipeline of a merge request, and returns the folder in which its artifacts lie at the end.
// The file is checked against GitLab's schema first; each job runs in a copy of the repository.
func runPipeline(t *testing.T, r divided.Repository) (artifacts, log string, exit int) {
	t.Helper()
	cmd := exec.Command(gitlab(t), "--force-shell-executor", "--shell-isolation", "--no-color", "--home", t.TempDir(),
		"--variable", "CI_PIPELINE_SOURCE=merge_request_event",
		"--variable", "CI_MERGE_REQUEST_DIFF_BASE_SHA="+r.Git(t, "rev-parse", "main"))
	cmd.Dir, cmd.Env = r.Dir, environment(t)
	log, exit = start(t, cmd)
	if !strings.Contains(log, "json schema validated") {
		t.Errorf("the file was not held against GitLab's schema:\n%s", log)
	}
	return r.Dir, log, exit
}

func newGitLab(t *testing.T) divided.Repository {
	t.Helper()
	needs(t, "git", "bash", "rsync", "node")
	return divided.New(t, map[string]string{".gitlab-ci.yml": divided.Example(t, "gitlab-ci.yml")})
}

func TestParallelJobsOfGitLabReportWhatOneRunDoes(t *testing.T) {
	r := newGitLab(t)
	flags := []string{"--from", r.Git(t, "rev-parse", "main"), "--to", "HEAD"}
	artifacts, log, exit := runPipeline(t, r)
	if exit != 0 {
		t.Errorf("the pipeline ends with %d", exit)
	}
	for _, file := range divided.Parts(4) {
		if _, err := os.Stat(filepath.Join(artifacts, "results", file)); err != nil {
			t.Error(err)
		}
	}
	want, _ := r.Report(t, "html", flags...)
	equal(t, filepath.Join(artifacts, "restarts.html"), want, log)
	want, _ = r.Report(t, "gitlab", flags...)
	equal(t, report(t, artifacts), want, log)
}

// report returns the file of the Code Quality report, which is an artifact of the job alone.
func report(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".gitlab-ci-local", "builds", "restarts", "gl-code-quality-report.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("Code Quality reports: %v, %v", found, err)
	}
	return found[0]
}

func TestAnApplicationThatFailsFailsThePipelineOfGitLabAndIsReported(t *testing.T) {
	r := newGitLab(t)
	r.Break(t)
	want, _ := r.Report(t, "html", "--from", r.Git(t, "rev-parse", "main"), "--to", "HEAD")
	artifacts, log, exit := runPipeline(t, r)
	if exit == 0 {
		t.Error("the pipeline succeeds")
	}
	equal(t, filepath.Join(artifacts, "restarts.html"), want, log)
}
