// Package ci runs the examples for GitHub Actions and GitLab CI with act and gitlab-ci-local, which divide the
// work and hand artifacts on as these do.
package ci

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// needs skips a test where a program is missing; where CI is set that is an error.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("no %s: apt-get install %[1]s", name)
		}
		t.Skipf("no %s on this machine: apt-get install %[1]s", name)
	}
}

// environment returns the environment of a runner: rollstamp is on its PATH already, and its home is empty.
func environment(t *testing.T) []string {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	if err := os.Symlink(process.Rollstamp(t), filepath.Join(bin, "rollstamp")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\n# There is nothing to install.\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home, "XDG_CACHE_HOME="+home, "CI=true",
		"GITHUB_ACTIONS=", "GITLAB_CI=")
}

// start runs a command to its end, and returns what it printed and its exit code.
func start(t *testing.T, cmd *exec.Cmd) (log string, exit int) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		exit = ended.ExitCode()
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out), exit
}

// equal fails where a file is not the report of one run.
func equal(t *testing.T, path string, want []byte, log string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what one run writes:\n%s\nbut\n%s\n%s", filepath.Base(path), got, want, log)
	}
}
