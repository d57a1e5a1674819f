package workers_test

import (
	"os/exec"
	"testing"

	"github.com/rollstamp/rollstamp/internal/workers"
)

// What the kernel refuses ends a process in several words of Go's runtime.
func TestWhatTheRuntimeSaysIsACause(t *testing.T) {
	t.Parallel()
	ended := exec.Command("sh", "-c", "exit 2")
	if err := ended.Run(); ended.ProcessState == nil {
		t.Fatal(err)
	}
	const fatal, at = "fatal error: ", "\n[signal SIGSEGV: segmentation violation"
	for text, want := range map[string]workers.Cause{
		fatal + "runtime: out of memory\n":                                          workers.OutOfMemory,
		fatal + "out of memory allocating heap arena metadata\n":                    workers.OutOfMemory,
		fatal + "runtime: cannot allocate memory\n":                                 workers.OutOfMemory,
		"runtime: mmap(1) returned 0\n" + fatal + "runtime: cannot map pages in it": workers.OutOfMemory,
		"SIGSEGV: segmentation violation\nPC=0x1 m=0 sigcode=1\n":                   workers.OutOfMemory,
		fatal + "unexpected signal during runtime execution" + at:                   workers.OutOfMemory,
		"unexpected fault address 0x1\n" + fatal + "fault\n[signal SIGBUS: bus":     workers.OutOfMemory,
		"runtime: goroutine stack exceeds 9-byte limit\n" + fatal + "a":             workers.StackOverflow,
		"panic: runtime error: nil pointer dereference" + at:                        workers.Crashed,
		fatal + "all goroutines are asleep - deadlock!\n":                           workers.Crashed,
		"": workers.Crashed,
	} {
		words := &workers.Words{}
		_, _ = words.Write([]byte(text))
		if got := words.Cause(ended.ProcessState); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
