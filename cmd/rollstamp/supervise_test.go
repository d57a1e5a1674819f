//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// TestWhatGoesOnAfterItsTimeFailsByThat reads the reports of a process that ended while another application was
// rendered: what was late may be what ended it, and has failed in any case.
func TestWhatGoesOnAfterItsTimeFailsByThat(t *testing.T) {
	var w working
	w.read(strings.NewReader(`begin ["apps/late"]
begin ["apps/loop"]
at ["apps/late","apps/late/a.jsonnet"]
late ["apps/late","8s"]
end ["apps/late"]
begin ["apps/web"]
`))
	late := w.overdue()
	if want := map[string]failed{"apps/late": {File: "apps/late/a.jsonnet", After: "8s"}}; !maps.Equal(late, want) {
		t.Errorf("%v is late", late)
	}
	if w.done || !maps.Equal(w.names, map[string]int{"apps/loop": 1, "apps/web": 1}) {
		t.Errorf("it works on %v", w.names)
	}
	err := containedError("apps/late", late["apps/late"])
	if want := "apps/late: not finished after 8s, while apps/late/a.jsonnet was evaluated"; err.Error() != want {
		t.Errorf("the error is %v", err)
	}
}
