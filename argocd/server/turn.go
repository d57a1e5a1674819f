package server

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// turns limits how many calls work at once, and runs no other call of an application whose render does not end: its
// calls would take one slot after the other, and leave none for the rest.
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
	done  chan struct{} // closed when the call has left
}

func newTurns(most int) *turns {
	return &turns{slots: make(chan struct{}, most), working: map[context.Context]*turn{}}
}

// take waits for a slot. The caller calls leave when its work is done.
func (t *turns) take(ctx context.Context, app string) (leave func(), err error) {
	t.change(func() { t.waiting++ })
	defer t.change(func() { t.waiting-- })
	for earlier := t.stuckFor(app); earlier != nil; earlier = t.stuckFor(app) {
		select {
		case <-earlier.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if ctx.Err() != nil { // select may choose the slot where both are ready
		<-t.slots
		return nil, context.Cause(ctx)
	}
	working := &turn{app: app, begun: time.Now(), done: make(chan struct{})}
	t.change(func() { t.working[ctx] = working })
	return func() {
		t.change(func() { delete(t.working, ctx) })
		close(working.done)
		<-t.slots
	}, nil
}

func (t *turns) change(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
}

// count returns how many calls wait, how many work, and how many of these continue without a caller, such as in an
// endless loop of a template.
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

// stuckFor returns a turn of an application that continues without a caller, or nil.
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

// all returns the calls that work, the longest-running first.
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
