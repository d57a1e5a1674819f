package server

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// turns limits how many calls work at once, and who is next: the project that has the fewest at work and has waited
// longest for its turn, and of that the application that has. One application works on one call at a time: it would
// take one slot after the other, and leave none for the rest. A call that works for long gives its slot to those who
// wait, and goes on beside them, so that renders which never end do not keep all waiting until their time is over.
type turns struct {
	most, longest int           // calls that work, and that wait; 0 is no limit
	late          time.Duration // after which a call that works gives its slot to others
	patience      time.Duration // after which a call that waits is at risk to do so until its time is over
	hasSpare      func() bool   // whether there is memory for that; nil where there never is

	mu      sync.Mutex
	working map[*turn]bool
	waiting []*turn // in the order in which they came
	grants  uint64
	granted map[caller]uint64    // the last grant of an application, and of a project by itself
	seen    map[string]time.Time // the last call of a project
	records map[caller]record    // of applications
	look    *time.Timer          // for the next call that is late, where others wait
}

// caller is whom a call is for.
type caller struct {
	project, app string // "" where it is not known
}

// turn is a call that works, or waits to.
type turn struct {
	caller
	upload  key // zero where it is of no matter
	came    time.Time
	ran     time.Duration   // for how long it has worked in earlier turns, which were ended for others
	begun   time.Time       // to work; zero while it waits
	behind  waitError       // what was worked on when it came
	ctx     context.Context //nolint:containedctx // its end is that of the caller's patience, or of end
	end     context.CancelCauseFunc
	granted chan struct{} // closed when it may work
	refused error         // set before granted is closed where it may not
}

// cause returns the error of a call's work, which is another one where that was ended for others.
func (t *turn) cause(err error) error {
	var crowded crowdedError
	if err != nil && errors.As(context.Cause(t.ctx), &crowded) {
		return diag.Source(crowded, crowdedHint)
	}
	return err
}

// isYielded reports whether its work was ended for others and is to be done again. Where the memory was short that is
// so once: two that need all of it would end each other.
func (t *turn) isYielded(err error) bool {
	var crowded crowdedError
	if errors.As(err, &crowded) {
		return crowded.again
	}
	return t.ran == 0 && causeOf(err) == workers.Crowded
}

// maxGranted is how many applications and projects are remembered.
const maxGranted = 20_000

func newTurns(opts *Options) *turns {
	return &turns{most: opts.Parallelism, longest: opts.Queue,
		late: min(opts.Timeout/10, maxLate), patience: opts.Timeout / 2, hasSpare: opts.HasSpare,
		working: map[*turn]bool{}, granted: map[caller]uint64{}, seen: map[string]time.Time{},
		records: map[caller]record{}}
}

// take waits for a slot. The caller works until the end of the turn's ctx, and calls leave with it then, unless there
// is an error.
func (t *turns) take(ctx context.Context, who caller, upload key, ran time.Duration) (one *turn, err error) {
	ctx, end := context.WithCancelCause(ctx)
	one = &turn{caller: who, upload: upload, came: time.Now(), ran: ran, ctx: ctx, end: end,
		granted: make(chan struct{})}
	if ctx.Err() != nil {
		end(nil)
		return one, context.Cause(ctx)
	}
	t.change(func() {
		t.seen[who.project] = one.came
		one.behind = t.ahead(who)
		t.waiting = append(t.waiting, one)
		t.refuse()
	})
	select {
	case <-one.granted:
	case <-ctx.Done():
	}
	t.change(func() {
		if err = cmp.Or(one.refused, context.Cause(ctx)); err != nil {
			t.remove(one)
			one.end(nil)
		}
	})
	return one, err
}

// work has the work of a call done, and ends its turn.
func (t *turns) work(one *turn, work func(*turn) error) (err error) {
	defer func() { t.leave(one, err) }()
	return work(one)
}

// leave ends the work of a call, with what came of it.
func (t *turns) leave(one *turn, err error) {
	t.note(one, err)
	one.end(nil)
	t.change(func() { t.remove(one) })
}

// change changes who waits and who works, and lets the next ones work.
func (t *turns) change(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
	for {
		i := t.next()
		if i < 0 || !t.isFree() {
			t.makeRoom()
			t.lookAgain()
			return
		}
		one := t.waiting[i]
		t.waiting = slices.Delete(t.waiting, i, i+1)
		t.working[one] = true
		t.grants++
		if len(t.granted) > maxGranted {
			clear(t.granted)
			clear(t.seen)
			clear(t.records)
		}
		t.granted[one.caller], t.granted[caller{project: one.project}] = t.grants, t.grants
		one.begun = time.Now()
		close(one.granted)
	}
}

func (t *turns) remove(one *turn) {
	delete(t.working, one)
	t.waiting = slices.DeleteFunc(t.waiting, func(other *turn) bool { return other == one })
}

// next returns the index of the call that works next; -1 where none may.
func (t *turns) next() int {
	busy, slots, apps, suspects := map[string]int{}, map[string]int{}, map[caller]bool{}, 0
	for one := range t.working {
		busy[one.project]++
		if t.isSuspect(one.caller) {
			suspects++
		}
		if !t.isLate(one) {
			slots[one.project]++
		}
		apps[one.caller] = one.app != ""
	}
	best := -1
	for i, one := range t.waiting {
		if apps[one.caller] || one.ctx.Err() != nil || t.isReserved(one.project, slots[one.project]) ||
			suspects >= t.half() && t.isSuspect(one.caller) {
			continue
		}
		if best < 0 || t.compare(busy, one, t.waiting[best]) < 0 {
			best = i
		}
	}
	return best
}

// compare orders two calls that wait. The earlier one of equal ones is in front of the other already.
func (t *turns) compare(busy map[string]int, a, b *turn) int {
	return cmp.Or(cmp.Compare(busy[a.project], busy[b.project]),
		cmp.Compare(t.granted[caller{project: a.project}], t.granted[caller{project: b.project}]),
		cmp.Compare(t.granted[a.caller], t.granted[b.caller]))
}

// refuse refuses the last call of the project that has most of them waiting, where too many wait.
func (t *turns) refuse() {
	if t.longest <= 0 || len(t.waiting) <= t.longest {
		return
	}
	count, last := map[string]int{}, -1
	for _, one := range t.waiting {
		count[one.project]++
	}
	for i, one := range t.waiting {
		if last < 0 || count[one.project] >= count[t.waiting[last].project] {
			last = i
		}
	}
	one := t.waiting[last]
	t.waiting = slices.Delete(t.waiting, last, last+1)
	one.refused = diag.Source(queueError{t.longest}, queueHint)
	close(one.granted)
}

// count returns how many calls wait, how many work, and how many of these continue without a caller, such as in an
// endless loop of a template.
func (t *turns) count() (waiting, working, stuck int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for one := range t.working {
		if one.ctx.Err() != nil {
			stuck++
		}
	}
	return len(t.waiting), len(t.working), stuck
}

// stuckFor returns a turn of an application that continues without a caller, or nil.
func (t *turns) stuckFor(who caller) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	for one := range t.working {
		if who.app != "" && one.caller == who && one.ctx.Err() != nil {
			return one
		}
	}
	return nil
}

// waitOf returns what the call with an upload waits for, or waited for; nil where that is of no matter.
func (t *turns) waitOf(upload key) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for one := range t.working {
		if one.upload == upload {
			return t.describe(one)
		}
	}
	for _, one := range t.waiting {
		if one.upload == upload {
			return t.describe(one)
		}
	}
	return nil
}

// wait returns what a call waits for, or waited for; nil where that is of no matter.
func (t *turns) wait(one *turn) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.describe(one)
}

func (t *turns) describe(one *turn) error {
	if one.begun.IsZero() {
		w := t.ahead(one.caller)
		w.waited, w.suspect = time.Since(one.came), t.isSuspect(one.caller)
		return w
	}
	w := one.behind
	w.waited, w.ran = one.begun.Sub(one.came), max(1, time.Since(one.begun))
	if isOwnTime(w.ran, w.waited+w.ran) {
		return nil
	}
	return w
}

// ahead returns what a caller that comes now has to wait for. Other projects are only counted: the answer is for the
// caller.
func (t *turns) ahead(who caller) (w waitError) {
	for one := range t.working {
		switch {
		case who.app != "" && one.caller == who:
			w.own = time.Since(one.begun)
		case one.project == who.project:
			w.apps = append(w.apps, one.app)
		default:
			w.others++
		}
	}
	slices.Sort(w.apps)
	return w
}

// all returns the calls that work, the longest-running first.
func (t *turns) all() []turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []turn
	for one := range t.working {
		out = append(out, *one)
	}
	slices.SortFunc(out, func(a, b turn) int { return cmp.Or(a.begun.Compare(b.begun), cmp.Compare(a.app, b.app)) })
	return out
}
