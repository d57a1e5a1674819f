package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// built is a release for the Linux of this machine's processor.
type built struct {
	release string // the program of this module
	dir     string // what it made
}

// program is the path of one of the programs in the release.
func (b built) program(name string) string {
	return filepath.Join(b.dir, "programs", "linux_"+runtime.GOARCH, name)
}

// file is the path of the one file that matches a pattern.
func (b built) file(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(b.dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s is %v, %v; want one file", pattern, found, err)
	}
	return found[0]
}

var (
	temporary string
	once      = sync.OnceValues(build)
)

func TestMain(m *testing.M) {
	var err error
	if temporary, err = os.MkdirTemp("", "release-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(temporary)
	os.Exit(code)
}

// whole returns a release that is built once for all tests.
func whole(t *testing.T) built {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the programs")
	}
	if runtime.GOOS != "linux" {
		t.Skip("for Linux only")
	}
	b, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func build() (built, error) {
	b := built{release: filepath.Join(temporary, "release"), dir: filepath.Join(temporary, "dist")}
	if out, err := exec.Command("go", "build", "-o", b.release, ".").CombinedOutput(); err != nil {
		return b, fmt.Errorf("build: %w\n%s", err, out)
	}
	out, err := exec.Command(b.release, "build", "-source", "..", "-out", b.dir, "-version", "v9.9.9", "-shell=false",
		"-platforms", "linux/"+runtime.GOARCH).CombinedOutput()
	if err != nil {
		return b, fmt.Errorf("release build: %w\n%s", err, out)
	}
	return b, nil
}

// command runs a command that has to succeed, and returns its standard output.
func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	stdout, stderr, err := attempt(dir, env, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(name), strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout
}

// refused runs a command that has to fail, and returns what it says.
func refused(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	stdout, stderr, err := attempt("", env, name, args...)
	if err == nil {
		t.Fatalf("%s %s succeeded:\n%s%s", filepath.Base(name), strings.Join(args, " "), stdout, stderr)
	}
	return stderr
}

func attempt(dir string, env []string, name string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var printed, reported strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, &reported
	err = cmd.Run()
	return printed.String(), reported.String(), err
}
