//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAnInterruptedRunNamesWhatItIsOccupiedWith interrupts one that looks for the application which has ended it, and
// finds one that has no end.
func TestAnInterruptedRunNamesWhatItIsOccupiedWith(t *testing.T) {
	t.Parallel()
	tree := map[string]string{}
	for name, template := range map[string]string{
		"loop":   `{{ range until 30000 }}{{ range until 30000 }}{{ end }}{{ end }}`,
		"memory": `{{ $x := "aaaaaaaaaaaaaaaa" }}{{ range until 40 }}{{ $x = print $x $x }}{{ end }}{{ len $x }}`,
	} {
		tree[name+"/Chart.yaml"] = "apiVersion: v2\nname: " + name + "\nversion: 1.0.0\n"
		tree[name+"/templates/a.yaml"] = template
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(programs(t), "rollstamp"), "render", "*")
	cmd.Dir, cmd.Env = writeTree(t, tree), append(os.Environ(), "ROLLSTAMP_MAX_MEMORY=300Mi")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(4*time.Second, func() { _ = cmd.Process.Signal(syscall.SIGTERM) }) // it has no end
	defer stop.Stop()
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 3 {
		t.Errorf("it ended with %v", err)
	}
	if want := "rollstamp: loop: interrupted\n"; out.Len() > 0 || !strings.Contains(errs.String(), want) {
		t.Errorf("it printed %s%s", fmt.Sprint(&out), &errs)
	}
}
