package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// turns lets so many calls work at once, and of an application with a render that goes on without end no other: it would take one place
// after the other, and leave none to the rest.
type turns struct {
	slots chan struct{}

	mu      sync.Mutex
	working map[context.Context]*turn // of the calls that have a slot
	waiting int
}

// turn is a call that works.
type turn struct {
	app   string // "" where it is not known
	begun time.Time
	over  chan struct{} // closed when it has left
}

func newTurns(most int) *turns {
	return &turns{slots: make(chan struct{}, most), working: map[context.Context]*turn{}}
}

// take waits for a slot, for an application; leave is to be called behind the work.
func (t *turns) take(ctx context.Context, app string) (leave func(), err error) {
	t.change(func() { t.waiting++ })
	defer t.change(func() { t.waiting-- })
	for earlier := t.stuckFor(app); earlier != nil; earlier = t.stuckFor(app) {
		select {
		case <-earlier.over:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	own := &turn{app: app, begun: time.Now(), over: make(chan struct{})}
	t.change(func() { t.working[ctx] = own })
	return func() {
		t.change(func() { delete(t.working, ctx) })
		close(own.over)
		<-t.slots
	}, nil
}

func (t *turns) change(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
}

// count reports how many wait, how many work, and how many of these go on although nobody waits for them any more, such as with a
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

// stuckFor returns a turn of an application that goes on although nobody waits for it, or nil.
func (t *turns) stuckFor(app string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ctx, one := range t.working {
		if app != "" && one.app == app && ctx.Err() != nil {
			return one
		}
	}
	return nil
}

// all returns those that work, the longest at work first.
func (t *turns) all() []turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []turn
	for _, one := range t.working {
		out = append(out, *one)
	}
	slices.SortFunc(out, func(a, b turn) int { return cmp.Or(a.begun.Compare(b.begun), cmp.Compare(a.app, b.app)) })
	return out
}

// Healthy reports whether renders can still be done: not where each slot is held by one that goes on without end.
func (s *Server) Healthy() error {
	if _, _, stuck := s.turns.count(); stuck >= s.opts.Parallelism {
		return fmt.Errorf("no render can run: %d go on although nobody waits for them any more", stuck)
	}
	return nil
}
