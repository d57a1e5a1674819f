package server

import (
	"context"
	"sync"
)

// flights lets equal calls at the same time share one execution. The zero value is ready.
type flights[V any] struct {
	mu  sync.Mutex
	now map[key]*flight[V]
}

type flight[V any] struct {
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when value and err are set
	value   V
	err     error
	callers int // callers that wait; guarded by flights.mu
}

// do returns the result of work, and reports whether it shared the execution of an equal call. The execution is
// cancelled when its last caller has gone, for the reason of that one; a caller goes when its ctx ends, after a call of
// leave.
func (f *flights[V]) do(ctx context.Context, k key, work func(context.Context) (V, error), leave func()) (V, bool,
	error) {
	f.mu.Lock()
	fl, shared := f.now[k]
	if !shared {
		fl = f.start(ctx, k, work)
	}
	fl.callers++
	f.mu.Unlock()
	select {
	case <-fl.done:
		return fl.value, shared, fl.err
	case <-ctx.Done():
	}
	leave()
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl.callers--; fl.callers == 0 {
		f.forget(k, fl)
		fl.cancel(context.Cause(ctx))
	}
	var none V
	return none, shared, context.Cause(ctx)
}

func (f *flights[V]) start(ctx context.Context, k key, work func(context.Context) (V, error)) *flight[V] {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	fl := &flight[V]{cancel: cancel, done: make(chan struct{})}
	if f.now == nil {
		f.now = map[key]*flight[V]{}
	}
	f.now[k] = fl
	go func() {
		defer cancel(nil)
		fl.value, fl.err = work(ctx)
		f.mu.Lock()
		f.forget(k, fl)
		f.mu.Unlock()
		close(fl.done)
	}()
	return fl
}

// joiners returns how many callers wait for the execution of another.
func (f *flights[V]) joiners() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fl := range f.now {
		n += fl.callers - 1
	}
	return n
}

// forget keeps later callers from joining a flight that has ended or is about to.
func (f *flights[V]) forget(k key, fl *flight[V]) {
	if f.now[k] == fl {
		delete(f.now, k)
	}
}
