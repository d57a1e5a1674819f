// Package parts starts the real components of Argo CD, and ours in their place, as processes of their own, and speaks
// to them as Argo CD does.
package parts

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// Command makes the command of one component, as the released argocd binary does under that component's name.
type Command func() *cobra.Command

// partVariable names the component that a re-executed test binary is to be.
const partVariable = "ROLLSTAMP_E2E_PART"

// Main is the body of TestMain: in a process that Start has started it runs that component, elsewhere the tests.
func Main(m *testing.M, components map[string]Command) {
	name := os.Getenv(partVariable)
	if name == "" {
		os.Exit(tests(m))
	}
	// What the component starts in turn must not take itself for the component.
	_ = os.Unsetenv(partVariable)
	component, known := components[name]
	if !known {
		fmt.Fprintf(os.Stderr, "this test binary holds no component %q\n", name)
		os.Exit(2)
	}
	command := component()
	command.SetArgs(os.Args[1:])
	if err := command.ExecuteContext(context.Background()); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// tests runs the tests in a temporary folder of their own: Argo CD's client leaves an empty one behind for each stream.
func tests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err == nil {
		err = os.Chmod(dir, 0o755) // one test works as another user
	}
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(dir)
	return m.Run()
}

// Process is a component that runs, with all that it has said.
type Process struct {
	Name string
	cmd  *exec.Cmd
	log  *record
	done chan struct{}
}

// Start runs a component of this test binary until the test ends. Its environment is env and nothing else.
func Start(t testing.TB, component string, env []string, args ...string) *Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append([]string{partVariable + "=" + component}, env...)
	return Run(t, component, cmd)
}

// Run starts a command and kills it when the test ends, or when the process of the tests does. What it prints stays to
// be read.
func Run(t testing.TB, name string, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{Name: name, cmd: cmd, log: &record{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s said last:\n%s", name, tail(p.Log(), 4000))
		}
	})
	return p
}

// Kill ends the process at once and waits until it has gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Signal sends a signal.
func (p *Process) Signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		t.Fatalf("signal %s: %v", p.Name, err)
	}
}

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// LastWords ends the process at once, and returns everything that it has printed.
func (p *Process) LastWords() string {
	p.Kill()
	return p.Log()
}

// Log is what the process has printed so far, as far as it has arrived.
func (p *Process) Log() string { return p.log.String() }

// Until waits for a condition, and fails the test when the process ends first or a minute has passed.
func (p *Process) Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-p.done:
			t.Fatalf("%s ended before %s:\n%s", p.Name, what, tail(p.Log(), 4000))
		case <-deadline:
			t.Fatalf("%s: not within a minute: %s", p.Name, what)
		case <-tick.C:
		}
	}
}

// CPU is the time that the process and the children that it has waited for have spent on processors, in steps of 10 ms.
func (p *Process) CPU(t testing.TB) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	// The name in parentheses may hold spaces; the numbers begin behind it, with the third of the manual's list.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var ticks int
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatalf("/proc/%d/stat: %v", p.PID(), err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// Children lists the processes that are children of this one now, zombies too, as "PID NAME STATE".
func (p *Process) Children(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, entry := range entries {
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // not a process, or one that has just gone
		}
		name, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[1] == strconv.Itoa(p.PID()) {
			out = append(out, name+") "+fields[0])
		}
	}
	return out
}

// record keeps what a process prints.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// AwaitEnd waits until the process has ended by itself.
func (p *Process) AwaitEnd(t testing.TB) {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		t.Fatalf("%s has not ended within a minute", p.Name)
	}
}
