package server

import (
	"errors"
	"time"

	"github.com/rollstamp/rollstamp/internal/workers"
)

// record is what the last render of an application came to.
type record struct {
	failed time.Time     // when it was ended, by its time or its worker's limits; zero where it was answered
	took   time.Duration // until its answer, of the last one that was answered
}

// suspectFor is for how long an application is suspect after a render that was ended.
const suspectFor = 15 * time.Minute

// note records what a call's work came to. An answer, also one that says what is wrong with the application, is as good
// as another. One that was ended for others, or before it had worked for half of its time, says nothing, unless its
// worker ended of it: it may be slow, and the machine busy.
func (t *turns) note(one *turn, err error) {
	if one.app == "" || one.begun.IsZero() {
		return
	}
	took := time.Since(one.begun)
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.records[one.caller]
	switch cause := causeOf(err); {
	case err == nil || cause == "" && one.ctx.Err() == nil:
		r = record{took: took}
	case cause == workers.NotStarted, cause == workers.Killed, cause == workers.Crowded,
		(cause == "" || cause == workers.OutOfTime) && one.ran+took < t.patience:
		return
	default:
		r.failed = time.Now()
	}
	t.records[one.caller] = r
}

// causeOf returns why a worker ended; "" where none did.
func causeOf(err error) workers.Cause {
	var ended *workers.Ended
	switch {
	case errors.Is(err, workers.ErrCrowded):
		return workers.Crowded
	case errors.As(err, &ended):
		return ended.Cause
	}
	return ""
}

// isSuspect reports whether the last render of an application was ended. Suspects have half of the places at most, all
// of them together: what they render is likely to be ended again, after all of its time or memory.
func (t *turns) isSuspect(who caller) bool {
	failed := t.records[who].failed
	return !failed.IsZero() && time.Since(failed) < suspectFor
}

// isUsual reports whether a call works for no longer than its application is known to need.
func (t *turns) isUsual(one *turn) bool {
	r := t.records[one.caller]
	return r.failed.IsZero() && time.Since(one.begun) < 2*r.took
}

// half is how many places suspects have, and how many are kept for what takes no long time.
func (t *turns) half() int { return max(1, t.most/2) }
