package workers_test

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/rollstamp/rollstamp/internal/workers"
)

// becomeParentOfOrphans has this process be for its descendants what the first process of a container is.
func becomeParentOfOrphans(t *testing.T) {
	t.Helper()
	const subreaper = 36 // PR_SET_CHILD_SUBREAPER
	if _, _, code := syscall.Syscall(syscall.SYS_PRCTL, subreaper, 1, 0); code != 0 {
		t.Skip(code)
	}
	t.Cleanup(func() { _, _, _ = syscall.Syscall(syscall.SYS_PRCTL, subreaper, 0, 0) })
}

func TestWhatAWorkerHadStartedIsWaitedFor(t *testing.T) {
	becomeParentOfOrphans(t)
	p := poolOf(t, "", workers.Limits{Workers: 1, Memory: 256 * mib})
	ctx, cancel := context.WithCancel(t.Context())
	l, err := p.Lease(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Do(ctx, []byte("nested loop"), func([]byte) []byte {
		cancel() // it has been started
		return nil
	})
	l.Release()
	p.Close()
	if err == nil {
		t.Error("what has no end was answered")
	}
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("process %d is left: %v", pid, err)
	}
}
