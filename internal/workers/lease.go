package workers

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/rollstamp/rollstamp/internal/memory"
)

// Lease is a worker that works for one caller.
type Lease struct {
	pool   *Pool
	leased *worker
	worker *worker // the same, nil after its end
	used   bool    // a request was sent
	large  bool    // it has taken so much memory that another one takes its place
}

// toStop is how long a worker may go on with a request that nobody waits for.
const toStop = 500 * time.Millisecond

// Do sends a request and returns its answer. Questions of the worker are passed to answer, one at a time. An error
// that the handler returned has its text; where the worker ended, the error is an *Ended, and the lease is of no
// further use. When ctx ends, the handler's context does; a worker that goes on nevertheless is ended.
//
// The first request of a lease is sent to another worker where one has ended before it began with it, as an idle one
// does that somebody kills. A request that was begun is never sent again.
func (l *Lease) Do(ctx context.Context, request []byte, answer func(question []byte) []byte) ([]byte, error) {
	if l.worker == nil {
		return nil, &Ended{Cause: Crashed}
	}
	begun, isFirst := time.Now(), !l.used
	l.used = true
	as := furtherFrame
	if isFirst {
		as = requestFrame
	}
	for attempts := l.pool.limits.Workers; ; attempts-- {
		out, err := l.exchange(ctx, as, request, answer)
		var ended *Ended
		if !errors.As(err, &ended) {
			return out, err
		}
		ended.After = time.Since(begun)
		l.worker.kill()
		l.worker = nil
		if !isFirst || attempts == 0 || !ended.isUnrelated() {
			l.pool.count(ended.Cause)
			l.pool.replace()
			return nil, err
		}
		if err := l.renew(ctx); err != nil { // as often as workers may be idle
			return nil, err
		}
	}
}

// isUnrelated reports whether the worker ended for a reason that lies before the request.
func (e *Ended) isUnrelated() bool {
	return !e.begun && slices.Contains([]Cause{Killed, Crashed, StackOverflow, OutOfMemory}, e.Cause)
}

// renew waits for another worker instead of one that has ended.
func (l *Lease) renew(ctx context.Context) error {
	w, err := l.pool.take(ctx)
	if err != nil {
		return err
	}
	l.pool.swap(l.leased, w)
	l.leased, l.worker = w, w
	return nil
}

// exchange sends a request to the worker, and returns its answer.
func (l *Lease) exchange(
	ctx context.Context, as kind, request []byte, answer func([]byte) []byte,
) (out []byte, err error) {
	w, begun, file := l.worker, false, ""
	defer func() {
		var ended *Ended
		if errors.As(err, &ended) {
			ended.begun, ended.File = begun, file
		}
	}()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = w.write(cancelFrame) })() // an error shows in what is read
	late := lateKill(ctx, w)
	defer late()
	if err := w.write(as, request); err != nil {
		return nil, l.causeOf(ctx, err)
	}
	for {
		k, payload, err := w.read()
		if err != nil {
			return nil, l.causeOf(ctx, err)
		}
		switch k {
		case begunFrame:
			begun = true
		case atFrame:
			file = string(payload)
		case includedFrame:
			w.include(payload)
		case questionFrame:
			if err := w.write(replyFrame, answer(payload)); err != nil {
				return nil, l.causeOf(ctx, err)
			}
		case responseFrame:
			return l.measure(payload)
		case failedFrame:
			return nil, errors.New(string(payload))
		default:
			return nil, &Ended{Cause: Crashed, Err: errFrame}
		}
	}
}

// lateKill kills a worker that goes on after the end of ctx, at once where others wait for it or the memory ends. The
// caller calls what it returns when it has an answer.
func lateKill(ctx context.Context, w *worker) (answered func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		left := toStop
		if cause := context.Cause(ctx); errors.Is(cause, ErrCrowded) || errors.As(cause, new(memory.Exceeded)) {
			left = 0
		}
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
			w.kill()
		}
	})
	return func() {
		stop()
		close(done)
	}
}

// causeOf returns why a worker cannot be read from any more, or written to.
func (l *Lease) causeOf(ctx context.Context, err error) error {
	limit := l.pool.limits
	if limit.Memory <= 0 && self.Load() != nil {
		limit.Memory = memory.Limit() // that it shares with this worker
	}
	if errors.Is(err, errFrame) {
		return &Ended{Cause: TooLarge, Limit: limit.Answer}
	}
	switch c := l.worker.cause(); {
	case c == Killed && (l.worker.crowded.Load() || errors.Is(context.Cause(ctx), ErrCrowded)):
		return &Ended{Cause: Crowded}
	case c == Killed && ctx.Err() != nil: // by lateKill
		return &Ended{Cause: OutOfTime, Err: context.Cause(ctx)}
	case c == OutOfMemory:
		return &Ended{Cause: c, Limit: limit.Memory}
	default:
		return &Ended{Cause: c}
	}
}

// measure takes the memory that the worker has off its answer.
func (l *Lease) measure(payload []byte) ([]byte, error) {
	if len(payload) < sizeOfNumber {
		return nil, &Ended{Cause: Crashed, Err: errFrame}
	}
	limit := l.pool.limits.Memory
	l.large = l.large || limit > 0 && binary.BigEndian.Uint64(payload) > uint64(limit)/2
	return payload[sizeOfNumber:], nil
}

// Release hands the worker back. One whose memory has grown to half of its limit is replaced: the next request would
// have less.
func (l *Lease) Release() {
	defer l.pool.free.Release(1)
	l.pool.release(l.leased, l.worker != nil && l.large)
	switch {
	case l.worker == nil:
	case l.large:
		l.worker.retire()
		l.pool.replace()
	default:
		l.pool.put(l.worker)
	}
	l.worker = nil
}
