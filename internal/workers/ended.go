package workers

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Cause is why a worker ended while it worked.
type Cause string

// The causes.
const (
	Crashed       Cause = "crashed"        // by itself, for a reason that it does not name
	StackOverflow Cause = "stack overflow" // an endless recursion
	OutOfMemory   Cause = "out of memory"  // more than Limits.Memory
	Killed        Cause = "killed"         // by somebody else, such as the kernel where the machine's memory is used up
	OutOfTime     Cause = "out of time"    // it was ended: it went on although nobody waited any more
	Crowded       Cause = "crowded"        // it was ended for the memory that others need, as the longest at work
	TooLarge      Cause = "too large"      // its answer is larger than Limits.Answer
	NotStarted    Cause = "not started"    // it could not be started, or said nothing
)

// causes lists the causes.
func causes() []Cause {
	return []Cause{Crashed, StackOverflow, OutOfMemory, Killed, OutOfTime, Crowded, TooLarge, NotStarted}
}

// ErrCrowded is the cause of a context that ends for others who wait: a worker that goes on ends as Crowded.
var ErrCrowded = errors.New("others wait")

// Ended is the error of a request whose worker ended. Another worker takes its place.
type Ended struct {
	Cause Cause
	After time.Duration // since the request began
	Limit int64         // bytes, of OutOfMemory and TooLarge
	Err   error         // of NotStarted and OutOfTime
	File  string        // that was evaluated, as the worker reported it with At; "" where none was

	begun bool // the worker had begun to work on the request, which may be why it ended
}

// Error names the cause; it quotes nothing that the worker wrote.
func (e *Ended) Error() string {
	switch {
	case e.Limit > 0:
		return fmt.Sprintf("the worker process ended: %s (%d MiB)", e.Cause, e.Limit>>20)
	case e.Err != nil:
		return fmt.Sprintf("the worker process ended: %s: %v", e.Cause, e.Err)
	}
	return fmt.Sprintf("the worker process ended: %s", e.Cause)
}

// Unwrap returns Err.
func (e *Ended) Unwrap() error { return e.Err }

// Words keeps the beginning of what a process of this program writes on standard error, for the cause only: it may
// quote anybody's data. The zero value is ready.
type Words struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write never fails, so that a worker never waits for it.
func (w *Words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	const most = 4 << 10
	w.text.Write(b[:min(len(b), most-min(most, w.text.Len()))])
	return len(b), nil
}

// Cause returns why a process ended, by what Go's runtime said and its state.
func (w *Words) Cause(state *os.ProcessState) Cause {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.text.String()
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled() && status.Signal() == syscall.SIGKILL:
		return Killed
	case state.ExitCode() == ExitFull:
		return OutOfMemory
	case strings.Contains(text, "goroutine stack exceeds"), strings.Contains(text, "fatal error: stack overflow"):
		return StackOverflow
	case strings.Contains(text, "out of memory"), strings.Contains(text, "cannot allocate memory"), isRefused(text):
		return OutOfMemory
	}
	return Crashed
}

// isRefused reports whether the runtime itself used memory that the kernel did not give it. Where it is code of ours
// that reads what is not there, the runtime calls it a panic.
func isRefused(text string) bool {
	return strings.HasPrefix(text, "SIGSEGV: ") || strings.Contains(text, "cannot map pages") ||
		strings.Contains(text, "fatal error: ") && strings.Contains(text, "[signal SIG") && !strings.Contains(text, "panic: ")
}
