package server

import "time"

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

// endFor ends a late render for a call that has waited for as long, where another project has so many that without them
// a slot were free. It is the one that began last.
func (t *turns) endFor(waits *turn) {
	if time.Since(waits.came) < t.late {
		return
	}
	count := map[string]int{}
	for one := range t.working {
		count[one.project]++
		if one.ctx.Err() != nil {
			return // it is about to leave
		}
	}
	n := len(t.working)
	if late := t.lateOnes(); late == 0 || n-1-min(late-1, t.most) >= t.most {
		return // that would not help yet
	}
	var last *turn
	for one := range t.working {
		own := count[one.project]
		if one.project != waits.project && own >= max(t.most, 2) && n-own < t.most && t.isLate(one) &&
			(last == nil || one.begun.After(last.begun)) {
			last = one
		}
	}
	if last != nil {
		last.end(crowdedError{time.Since(last.begun)})
	}
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
		if left := t.late - time.Since(one.came); left > 0 {
			wait = min(wait, left)
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
