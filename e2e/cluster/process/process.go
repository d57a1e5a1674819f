// Package process runs programs for a test and ends them with it: those of others, and ours.
package process

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a program that runs, with all that it has printed.
type Process struct {
	Name string
	cmd  *exec.Cmd
	log  *record
	done chan struct{}
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
			t.Logf("%s printed last:\n%s", name, tail(p.Log(), 4000))
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

// patience is how long a process may take for what it does in a second on a machine that has nothing else to do.
const patience = 4 * time.Minute

// Until waits for a condition, and fails the test when the process ends first or patience is over.
func (p *Process) Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-p.done:
			t.Fatalf("%s ended before %s:\n%s", p.Name, what, tail(p.Log(), 4000))
		case <-deadline:
			t.Fatalf("%s: not within %s: %s", p.Name, patience, what)
		case <-tick.C:
		}
	}
}

// AwaitEnd waits until the process has ended by itself.
func (p *Process) AwaitEnd(t testing.TB) {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		t.Fatalf("%s has not ended within %s", p.Name, patience)
	}
}

// CPU is the time that the process, its children and those that it has waited for have spent on processors, in steps of
// 10 ms for each.
func (p *Process) CPU(t testing.TB) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	ticks := ticksOf(t, statOf(stat))
	for _, child := range p.children(t) {
		ticks += ticksOf(t, child)
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// stat is what the kernel says of a process: "PID (NAME" and the fields behind it, from the third of the manual's list.
type stat struct {
	name   string
	fields []string
}

// statOf splits behind the name, which may hold spaces and parentheses.
func statOf(text []byte) stat {
	end := bytes.LastIndexByte(text, ')') + 1
	return stat{string(text[:end]), strings.Fields(string(text[end:]))}
}

// ticksOf is the time that a process and those that it has waited for have spent on processors.
func ticksOf(t testing.TB, s stat) (ticks int) {
	t.Helper()
	for _, field := range s.fields[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatalf("/proc/PID/stat of %s: %v", s.name, err)
		}
		ticks += n
	}
	return ticks
}

// Children lists the processes that are children of this one now, zombies too, as "PID (NAME) STATE".
func (p *Process) Children(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, child := range p.children(t) {
		out = append(out, child.name+" "+child.fields[0])
	}
	return out
}

func (p *Process) children(t testing.TB) (out []stat) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // not a process, or one that has just gone
		}
		if one := statOf(text); len(one.fields) > 14 && one.fields[1] == strconv.Itoa(p.PID()) {
			out = append(out, one)
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

// FreePort is a port of the loopback address that nobody listens on.
func FreePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
