//go:build unix

package stock

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slow is a checkout with a small tool, and a go tool that begins to work when somebody opens the gate.
type slow struct {
	tool  tool
	gate  string // a FIFO
	calls string // a line with the process for each call of the go tool
}

func newSlow(t *testing.T) slow {
	t.Helper()
	realGo, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	gocache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := slow{
		tool: tool{name: "small", pkg: "example.com/small"},
		gate: filepath.Join(dir, "gate"), calls: filepath.Join(dir, "calls"),
	}
	for path, text := range map[string]string{
		"tools/small/go.mod":  "module example.com/small\n\ngo 1.26.0\n",
		"tools/small/go.sum":  "",
		"tools/small/main.go": "package main\n\nfunc main() { println(\"built\") }\n",
		"bin/go": "#!/bin/sh\necho $PPID >> " + s.calls + "\nread open < " + s.gate +
			"\nexec " + realGo + " \"$@\"\n",
	} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(s.gate, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	t.Setenv("GOCACHE", strings.TrimSpace(string(gocache)))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("HOME", dir) // where caches lie on other systems
	return s
}

// open lets the go tool begin; it waits until that is there.
func (s slow) open(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(s.gate, []byte("\n"), 0); err != nil {
		t.Fatal(err)
	}
}

// openForTheNext lets the go tool of the next build begin at once. A shell that was killed may still hold the gate, and
// must neither read the line nor be the only one for whom it is written: the line is written when no process of that
// build is left, as the lock shows, into a gate that the test itself keeps open for reading.
func (s slow) openForTheNext(t *testing.T) {
	t.Helper()
	free, err := lock(filepath.Join(s.folder(t), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	gate, err := os.OpenFile(s.gate, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gate.Close() })
	if _, err := gate.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
}

// left are the files in the folder of the build, but for the lock.
func (s slow) left(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.folder(t), "*"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range found {
		if name := filepath.Base(path); name != "lock" {
			names = append(names, name)
		}
	}
	return names
}

// folder is that of the build.
func (s slow) folder(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "rollstamp-stock", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the cache holds %v, %v", found, err)
	}
	return found[0]
}

// begun returns the shells of the builds that have begun.
func (s slow) begun(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(s.calls)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

func TestABuildTakesLongerThanATestMayRun(t *testing.T) {
	s := newSlow(t)
	if _, err := s.tool.ensure(time.Now()); !errors.Is(err, errStillBuilding) {
		t.Fatalf("%v, want that it is still building", err)
	}
	if left := s.left(t); slices.Contains(left, "small") {
		t.Errorf("there is a tool before it is built: %v", left)
	}
	s.open(t)
	bin, err := s.tool.ensure(time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, bin)
	if begun, left := s.begun(t), s.left(t); len(begun) != 1 || !slices.Equal(left, []string{"small"}) {
		t.Errorf("built %d times, and left %v", len(begun), left)
	}
}

// TestABuildOutlivesTheTest kills the process that began a build, as the go tool does with a test that takes too long.
func TestABuildOutlivesTheTest(t *testing.T) {
	if os.Getenv("ROLLSTAMP_STOCK_BEGIN") != "" {
		_, _ = (tool{name: "small", pkg: "example.com/small"}).ensure(time.Time{})
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := newSlow(t)
	begin := exec.Command(self, "-test.run=^TestABuildOutlivesTheTest$")
	begin.Env = append(os.Environ(), "ROLLSTAMP_STOCK_BEGIN=1")
	if err := begin.Start(); err != nil {
		t.Fatal(err)
	}
	gate, err := os.OpenFile(s.gate, os.O_WRONLY, 0) // when the go tool has begun
	if err != nil {
		t.Fatal(err)
	}
	if err := begin.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = begin.Wait()
	_, err = gate.WriteString("\n")
	if err := errors.Join(err, gate.Close()); err != nil {
		t.Fatal(err)
	}
	bin, err := s.tool.ensure(time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, bin)
	if begun, left := s.begun(t), s.left(t); len(begun) != 1 || !slices.Equal(left, []string{"small"}) {
		t.Errorf("built %d times, and left %v", len(begun), left)
	}
}

func TestAKilledBuildLeavesNothing(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"asked to end": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			s := newSlow(t)
			ended := make(chan error, 1)
			go func() {
				_, err := s.tool.ensure(time.Time{})
				ended <- err
			}()
			gate, err := os.OpenFile(s.gate, os.O_WRONLY, 0) // when the go tool has begun
			if err != nil {
				t.Fatal(err)
			}
			defer gate.Close()
			pid, err := strconv.Atoi(s.begun(t)[0])
			if err != nil {
				t.Fatal(err)
			}
			part := filepath.Join(s.folder(t), "small.part")
			if err := errors.Join(os.WriteFile(part, []byte("half"), 0o755), syscall.Kill(-pid, signal)); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil {
				t.Fatal("a build that was killed succeeds")
			}
			left := s.left(t)
			if slices.Contains(left, "small") || signal == syscall.SIGTERM && slices.Contains(left, "small.part") {
				t.Errorf("it left %v", left)
			}
			s.openForTheNext(t)
			bin, err := s.tool.ensure(time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			run(t, bin)
			if left := s.left(t); !slices.Equal(left, []string{"small"}) {
				t.Errorf("after the next build there are %v", left)
			}
		})
	}
}
