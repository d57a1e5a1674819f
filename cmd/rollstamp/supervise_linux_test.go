package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheKernelBoundsAnIsolatedRun has a template ask for much more than the run may have, in steps so large that
// looking at the memory from time to time sees them late. The peak that the system counts for a process is no measure,
// as it includes that of the process which started it.
func TestTheKernelBoundsAnIsolatedRun(t *testing.T) {
	t.Parallel()
	x := strings.Repeat(" $x", 12)
	args := []string{"render", "--output-dir", "out", "bomb", "plain"}
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs(t), "rollstamp"), args...)
	cmd.Dir, cmd.Env = writeTree(t, map[string]string{
		"bomb/Chart.yaml":       "apiVersion: v2\nname: bomb\nversion: 1.0.0\n",
		"bomb/templates/a.yaml": `{{ $x := repeat 70000000 "a" }}{{ $y := print` + x + ` }}{{ len $y }}`,
		"plain/a.yaml":          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
	}), append(os.Environ(), "ROLLSTAMP_MAX_MEMORY=100Mi")
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bounded := make(chan bool, 1)
	ended := make(chan struct{})
	go func() { bounded <- isEverBounded(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	close(ended)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 ||
		!strings.Contains(errs.String(), "bomb: it needs more memory than the run may have") {
		t.Fatalf("it ended with %v: %s", err, &errs)
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "out", "plain", "manifests.yaml")); err != nil {
		t.Error(err)
	}
	if !<-bounded {
		t.Error("no process of a run that may have 100 MiB was seen whose memory is bounded")
	}
}

// isEverBounded reports whether a process of the one that is given has at most some 400 MB of memory by the kernel,
// before that one ends.
func isEverBounded(pid int, ended <-chan struct{}) bool {
	for {
		for _, child := range childrenOf(pid) {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", child)) // it may have ended
			_, rest, _ := strings.Cut(string(text), "Max data size")
			var most int64
			if n, _ := fmt.Sscan(rest, &most); n == 1 && most < 400<<20 {
				return true
			}
		}
		select {
		case <-ended:
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
}
