//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/diag"
)

// programIn returns a call of the program in a folder, which ends when the test does.
func programIn(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd, stderr := exec.CommandContext(ctx, path, args...), new(bytes.Buffer)
	cmd.Args[0], cmd.Dir, cmd.Stderr = "rollstamp", dir, stderr // as which the tests' program is it
	return cmd, stderr
}

func TestAPipeThatATreeNamesIsAnErrorAndNoWait(t *testing.T) {
	for name, kustomization := range map[string]string{
		"resource":  "resources: [pipe]\n",
		"generator": "configMapGenerator: [{name: c, files: [pipe]}]\n",
		"env":       "secretGenerator: [{name: c, envs: [pipe]}]\n",
		"patch":     "patches: [{path: pipe}]\n",
		"component": "components: [base]\n",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(kustomization), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, "base"), 0o700); err != nil {
			t.Fatal(err)
		}
		pipe := "pipe"
		if name == "component" {
			pipe = "base/kustomization.yaml"
		}
		if err := syscall.Mkfifo(filepath.Join(dir, pipe), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd, stderr := programIn(t, dir, "render", ".")
		_ = cmd.Run() // its code is looked at
		if code := cmd.ProcessState.ExitCode(); code != int(diag.ExitInput) ||
			!strings.Contains(stderr.String(), pipe+": read: it is a pipe or a device, and not a file") {
			t.Errorf("%s: it ended with %d: %s", name, code, stderr)
		}
	}
}

func TestStampWaitsForAPipeUntilASignal(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, stderr := programIn(t, dir, "stamp", "pipe")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the program reads
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its code is looked at
	if code := cmd.ProcessState.ExitCode(); code != int(diag.ExitInput) || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("it ended with %d: %s", code, stderr)
	}
}

func TestWhatAUserNamesMayBeAPipe(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "templates/a.yaml": "a: {{ .Values.x }}\n",
	} {
		path := filepath.Join(dir, "chart", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, args := range map[string][]string{
		"a: b\n": {"stamp", "pipe"}, "x: b\n": {"render", "chart", "--no-stamp", "-f", "pipe"},
	} {
		pipe := filepath.Join(dir, "pipe")
		_ = os.Remove(pipe)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd, stderr := programIn(t, dir, args...)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(pipe, []byte(text), 0); err != nil { // waits until the program reads
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "a: b") {
			t.Errorf("%v: %v, %s\n%s", args, err, stderr, out.String())
		}
	}
}
