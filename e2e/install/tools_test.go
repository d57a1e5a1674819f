// Package install tries the ways of installing a release with the programs that people use for that.
package install

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const top = "../.."

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

// tool builds a program that tools/NAME pins, once for this checkout.
func tool(t *testing.T, name, pkg string, ldflags ...string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(top, "bin", "e2e"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	pin, err := os.Stat(filepath.Join(top, "tools", name, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if built, err := os.Stat(path); err == nil && built.ModTime().After(pin.ModTime()) {
		return path
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	part := path + ".part" // a build that is killed leaves no tool
	if err := os.RemoveAll(part); err != nil {
		t.Fatal(err)
	}
	build := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", strings.Join(append(ldflags, "-s -w"), " "), "-o", part, pkg}
	cmd := exec.Command("go", build...)
	cmd.Dir = filepath.Join(top, "tools", name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	if err := os.Rename(part, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// run returns what a program prints that succeeds. The environment is that of the test, and env.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
