package serve

import (
	"context"
	"fmt"
	"sync"
)

// turns lets so many calls work at once.
type turns struct {
	slots chan struct{}

	mu      sync.Mutex
	working map[context.Context]bool // of the calls that have a slot
	waiting int
}

func newTurns(most int) *turns {
	return &turns{slots: make(chan struct{}, most), working: map[context.Context]bool{}}
}

// take waits for a slot; leave is to be called behind the work.
func (t *turns) take(ctx context.Context) (leave func(), err error) {
	t.change(func() { t.waiting++ })
	defer t.change(func() { t.waiting-- })
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	t.change(func() { t.working[ctx] = true })
	return func() {
		t.change(func() { delete(t.working, ctx) })
		<-t.slots
	}, nil
}

func (t *turns) change(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
}

// count tells how many wait, how many work, and how many of these go on although nobody waits for them any more, such as with a
// template's endless loop.
func (t *turns) count() (waiting, working, stuck int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ctx := range t.working {
		if ctx.Err() != nil {
			stuck++
		}
	}
	return t.waiting, len(t.working), stuck
}

// Healthy tells whether renders can still be done: not where each slot is held by one that goes on without end.
func (s *Server) Healthy() error {
	if _, _, stuck := s.turns.count(); stuck >= s.opts.Parallelism {
		return fmt.Errorf("no render can run: %d go on although nobody waits for them any more", stuck)
	}
	return nil
}
