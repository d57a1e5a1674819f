//go:build unix

package workers_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/rollstamp/rollstamp/internal/workers"
)

// TestWhoWaitsTakesTheWorkerThatIsReadyFirst has a second worker start that does not get ready before a pipe is written
// to, and the first one come back.
func TestWhoWaitsTakesTheWorkerThatIsReadyFirst(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	start := func() {
		if err := os.WriteFile(pipe, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	p := poolOf(t, "wait "+pipe, workers.Limits{Workers: 1, Spare: 1})
	go start()
	l, err := p.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first, err := l.Do(t.Context(), []byte("pid"), nil)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan string)
	go func() {
		pid, err := ask(t.Context(), p, "pid")
		if err != nil {
			t.Error(err)
		}
		second <- pid
	}()
	for p.Counts().Started < 2 {
		runtime.Gosched()
	}
	l.Release()
	if pid := <-second; pid != string(first) {
		t.Errorf("process %s worked, and %s was handed back", pid, first)
	}
	start() // so that it can end
}

// TestWhatWorksForLongLeavesTheOthersWarm has one worker work on, beside which calls come one after the other.
func TestWhatWorksForLongLeavesTheOthersWarm(t *testing.T) {
	p := poolOf(t, "", workers.Limits{Workers: 1, Spare: 1, Memory: 256 * mib})
	l, err := p.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	for range 5 {
		if _, err := ask(t.Context(), p, "pid"); err != nil {
			t.Fatal(err)
		}
	}
	if c := p.Counts(); c.Started != 2 {
		t.Errorf("%d workers were started", c.Started)
	}
}
