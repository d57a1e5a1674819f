package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs builds rollstamp and this program beside it, as a release has them.
func programs(t *testing.T) (rollstamp string) {
	t.Helper()
	dir := t.TempDir()
	for _, module := range []string{"../..", "."} {
		target := map[string]string{"../..": "./cmd/rollstamp", ".": "."}[module]
		build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), target)
		build.Dir = module
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	return filepath.Join(dir, "rollstamp")
}

// run returns what a program prints, and its exit code.
func run(t *testing.T, dir, program string, args ...string) (stdout string, code int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return string(out), exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return string(out), 0
}

func TestWhatAnUpgradeOfHelmRestartsIsShownBefore(t *testing.T) {
	rollstamp := programs(t)
	dir := t.TempDir()
	for _, chart := range []string{"upgrade", "newer"} {
		if err := os.CopyFS(filepath.Join(dir, chart), os.DirFS(filepath.Join(ours, chart))); err != nil {
			t.Fatal(err)
		}
	}
	out, code := run(t, dir, rollstamp, "diff", "--engine", "helm=3:4", "upgrade")
	if code != 1 || !strings.HasPrefix(out, "1 workload restarts for nothing") || !strings.Contains(out, `metadata.annotations["checksum/config"]`) {
		t.Errorf("it ends with %d:\n%s", code, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "upgrade/.rollstamp.yaml"), []byte("render: {foreignChecksums: replace}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := run(t, dir, rollstamp, "diff", "--engine", "helm=3:4", "upgrade"); code != 0 || strings.Contains(out, "restart") {
		t.Errorf("without the chart's own hash it ends with %d:\n%s", code, out)
	}

	// Of what fails with both, nothing is known: it is said, and an error.
	refuses := filepath.Join(dir, "refuses")
	if err := os.CopyFS(refuses, os.DirFS(filepath.Join(ours, "upgrade"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(refuses, "templates", "fail.yaml"), []byte("a: {{ .Values.no.value }}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code = run(t, dir, rollstamp, "diff", "--engine", "helm=3:4", "upgrade", "refuses")
	if code != 3 || strings.Contains(out, "as before") ||
		!strings.Contains(out, "refuses (both sides)\n") ||
		!strings.HasPrefix(out, "no workload restarts; 1 application could not be rendered") &&
			!strings.HasPrefix(out, "1 application could not be rendered") {
		t.Errorf("a chart that fails with both ends with %d:\n%s", code, out)
	}

	// Charts of one run, one after the other and side by side, are rendered by the process that was started first.
	before, _ := run(t, dir, rollstamp, "render", "--no-stamp", "--helm-version", "4", "newer")
	files := filepath.Join(dir, "out")
	if out, code := run(t, dir, rollstamp, "render", "--no-stamp", "--helm-version", "4", "--output-dir", files, "newer", "upgrade"); code != 0 {
		t.Fatalf("it ends with %d:\n%s", code, out)
	}
	after, err := os.ReadFile(filepath.Join(files, "newer/manifests.yaml"))
	if err != nil || string(after) != before || !strings.Contains(before, "v4.3.1") {
		t.Errorf("%v: got\n%s\nwant\n%s", err, after, before)
	}
	if out, code := run(t, dir, filepath.Join(filepath.Dir(rollstamp), "rollstamp-helm4")); code != 2 || out != "" {
		t.Errorf("by itself it ends with %d: %s", code, out)
	}
}
