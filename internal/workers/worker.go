package workers

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/internal/memory"
)

// worker is one process.
type worker struct {
	*stream
	cmd   *exec.Cmd
	in    io.Closer
	said  *Words
	ended chan struct{} // closed when the process is gone and has been waited for

	crowded  atomic.Bool           // it is ended for the memory that others need
	included atomic.Pointer[[]int] // processes whose memory counts as its own
}

const (
	// toBegin is how long a worker may take to get ready.
	toBegin = 20 * time.Second
	// toEnd is how long one may take to end whose work is done.
	toEnd = 2 * time.Second
)

// startWorker starts a worker and waits until it is ready. It calls gone when the process has ended.
func startWorker(ctx context.Context, p Program, limits Limits, gone func()) (*worker, error) {
	cmd := exec.Command(p.Path, p.Args...)
	if p.Name != "" {
		cmd.Args[0] = p.Name
	}
	cmd.Env = append([]string{}, p.Env...)
	said := &Words{}
	cmd.Stderr = said
	cmd.WaitDelay = toEnd
	if self.Load() == nil {
		asGroup(cmd)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		gone()
		return nil, &Ended{Cause: NotStarted, Err: err}
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		gone()
		return nil, &Ended{Cause: NotStarted, Err: err}
	}
	w := &worker{stream: newStream(out, in, limits.Answer), cmd: cmd, in: in, said: said, ended: make(chan struct{})}
	if limits.Memory <= 0 {
		counted, end := gone, include(cmd.Process.Pid)
		gone = func() {
			end()
			counted()
		}
	}
	if err := w.greet(ctx, p.First, limits.Memory); err != nil {
		w.kill()
		w.await(gone)
		return nil, &Ended{Cause: NotStarted, Err: err}
	}
	go w.await(gone)
	return w, nil
}

// await waits for the end of the process. What it still writes is lost.
func (w *worker) await(gone func()) {
	defer gone()
	_ = w.cmd.Wait() // how it ended is in its state
	endGroup(w.cmd.Process.Pid)
	close(w.ended)
}

// greet sends what the worker reads first, and waits until it is ready.
func (w *worker) greet(ctx context.Context, first []byte, limit int64) error {
	ctx, cancel := context.WithTimeout(ctx, toBegin)
	defer cancel()
	defer context.AfterFunc(ctx, w.kill)()
	var limits []byte
	for _, n := range []int64{limit, memory.Limit()} {
		limits = binary.BigEndian.AppendUint64(limits, uint64(n))
	}
	err := w.write(beginFrame, limits, first)
	if err != nil {
		return err
	}
	k, payload, err := w.read()
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	case k == failedFrame:
		return errors.New(string(payload))
	case k != readyFrame:
		return errFrame
	}
	return nil
}

func (w *worker) isAlive() bool {
	select {
	case <-w.ended:
		return false
	default:
		return true
	}
}

// cause returns why a worker has ended that was not to end.
func (w *worker) cause() Cause {
	w.kill() // where only its pipe is broken
	<-w.ended
	return w.said.Cause(w.cmd.ProcessState)
}

// kill ends the process at once.
func (w *worker) kill() { _ = w.cmd.Process.Kill() }

// retire lets the process end by itself, which it does when it reads no more, and kills it where it does not.
func (w *worker) retire() {
	_ = w.in.Close()
	timer := time.AfterFunc(toEnd, w.kill)
	go func() {
		<-w.ended
		timer.Stop()
	}()
}
