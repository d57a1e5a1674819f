package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAnIsolatedRunStaysNearItsLimit has a template ask for much more than the run may have, in steps so large that
// looking at the memory from time to time sees them late.
func TestAnIsolatedRunStaysNearItsLimit(t *testing.T) {
	t.Parallel()
	x := strings.Repeat(" $x", 12)
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs(t), "rollstamp"), "render", "--output-dir", "out", "bomb", "plain")
	cmd.Dir, cmd.Env = writeTree(t, map[string]string{
		"bomb/Chart.yaml":       "apiVersion: v2\nname: bomb\nversion: 1.0.0\n",
		"bomb/templates/a.yaml": `{{ $x := repeat 70000000 "a" }}{{ $y := print` + x + ` }}{{ len $y }}`,
		"plain/a.yaml":          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
	}), append(os.Environ(), "ROLLSTAMP_MAX_MEMORY=100Mi")
	var errs strings.Builder
	cmd.Stderr = &errs
	err := cmd.Run()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 3 ||
		!strings.Contains(errs.String(), "bomb: it needs more memory than the run may have") {
		t.Fatalf("it ended with %v: %s", err, &errs)
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "out", "plain", "manifests.yaml")); err != nil {
		t.Error(err)
	}
	// What the program itself has mapped comes on top.
	const most = 280 << 10
	if used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; used > most {
		t.Errorf("a run that may have 100 MiB used %d MiB", used>>10)
	}
}
