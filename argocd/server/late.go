package server

import (
	"cmp"
	"slices"
	"time"
)

// maxLate is after how long a call is late, however much time it has.
const maxLate = 3 * time.Second

// isFree reports whether a slot is free, or is given by a call that is late.
func (t *turns) isFree() bool {
	n, late := len(t.working), t.lateOnes()
	return n < t.most || n-min(late, t.most) < t.most && t.hasSpare()
}

// lateOnes counts the calls that are late.
func (t *turns) lateOnes() (n int) {
	for one := range t.working {
		if t.isLate(one) {
			n++
		}
	}
	return n
}

// isLate reports whether a call has worked for so long that it gives its slot to others.
func (t *turns) isLate(one *turn) bool { return t.hasSpare != nil && time.Since(one.begun) >= t.late }

// makeRoom ends a late render where another call has waited for long, and fewer than half of the places are left for
// calls that are not late. What is suspect is ended for a call that has waited for as long as after which one is late,
// and its caller is told. Other renders are ended only for a call that would else wait until its time is over, of a
// project that has fewer places, and are done again: nobody knows whether they are slow, or will never end.
func (t *turns) makeRoom() {
	late := t.lateOnes()
	if late == 0 || len(t.working)-late >= t.half() {
		return
	}
	if n := len(t.working); n-1-min(late-1, t.most) >= t.most {
		return // that would not help yet
	}
	count, starved := map[string]int{}, t.starved()
	for one := range t.working {
		count[one.project]++
		if one.ctx.Err() != nil {
			return // it is about to leave
		}
	}
	var worst *turn
	for one := range t.working {
		isFor := func(other *turn) bool {
			return t.isSuspect(one.caller) ||
				time.Since(other.came) >= t.patience && count[other.project] < count[one.project]
		}
		if t.isLate(one) && slices.ContainsFunc(starved, isFor) && (worst == nil || t.isWorse(count, one, worst)) {
			worst = one
		}
	}
	if worst != nil {
		worst.end(crowdedError{time.Since(worst.begun), !t.isSuspect(worst.caller)})
	}
}

// starved returns the calls that nothing but the number of places has kept waiting for long.
func (t *turns) starved() (out []*turn) {
	busy := map[caller]bool{}
	for one := range t.working {
		busy[one.caller] = one.app != ""
	}
	for _, one := range t.waiting {
		if time.Since(one.came) >= t.late && one.ctx.Err() == nil && !busy[one.caller] && !t.isSuspect(one.caller) {
			out = append(out, one)
		}
	}
	return out
}

// isWorse reports whether a late render is to be ended rather than another: one that was ended before, then one that
// takes longer than its application ever did, then one that was not ended for others, then one of the project with the
// most, then the one that began first.
func (t *turns) isWorse(count map[string]int, a, b *turn) bool {
	rank := func(one *turn) int {
		switch {
		case t.isSuspect(one.caller):
			return 2
		case t.isUsual(one):
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.ran, a.ran),
		cmp.Compare(count[a.project], count[b.project]), b.begun.Compare(a.begun)) > 0
}

// lookAgain looks for a free slot when the next call is late or has waited for as long, or after as long where one is
// late and memory is used.
func (t *turns) lookAgain() {
	if t.hasSpare == nil || len(t.waiting) == 0 {
		return
	}
	wait := t.late
	for one := range t.working {
		if left := t.late - time.Since(one.begun); left > 0 {
			wait = min(wait, left)
		}
	}
	for _, one := range t.waiting {
		for _, end := range []time.Duration{t.late, t.patience} {
			if left := end - time.Since(one.came); left > 0 {
				wait = min(wait, left)
			}
		}
	}
	if t.look != nil {
		t.look.Stop()
	}
	t.look = time.AfterFunc(wait, func() { t.change(func() {}) })
}

// isReserved reports whether the slot that is free is one for other projects: the last one, where a project has all
// others and is not alone. A project whose renders never end cannot keep all of them.
func (t *turns) isReserved(project string, busy int) bool {
	if busy == 0 || busy < t.most-1 {
		return false
	}
	for other, last := range t.seen {
		if other != project && time.Since(last) < reservedFor {
			return true
		}
	}
	return false
}

// reservedFor is how long after its last call a project counts as one that may have another.
const reservedFor = 15 * time.Minute
