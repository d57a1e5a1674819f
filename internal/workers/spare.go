package workers

import (
	"slices"
	"time"
)

// HasSpare reports whether more workers than Limits.Workers may be leased now: those at work use at most half of the
// memory that Limits.Workers may.
func (p *Pool) HasSpare() bool {
	return p.limits.Spare > 0 && (p.limits.Memory <= 0 || p.used() <= p.most()/2)
}

// most returns the bytes that all workers may use together.
func (p *Pool) most() int64 { return p.limits.Memory * int64(p.limits.Workers) }

// used returns the bytes that the workers at work use.
func (p *Pool) used() (sum int64) {
	for _, w := range p.working() {
		sum += residentOf(w.cmd.Process.Pid)
	}
	return sum
}

// working returns the workers that are leased, the longest leased first.
func (p *Pool) working() []*worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.leased)
}

// betweenLooks is the time between two looks at the memory of more workers than Limits.Workers.
const betweenLooks = 50 * time.Millisecond

// watch ends the worker that is leased longest whenever more than Limits.Workers use more memory than these may, until
// no more are leased. What is new is what others wait for, and the memory is theirs.
func (p *Pool) watch() {
	defer p.all.Done()
	ticker := time.NewTicker(betweenLooks)
	defer ticker.Stop()
	for range ticker.C {
		p.mu.Lock()
		p.watched = len(p.leased) > p.limits.Workers
		done := !p.watched
		p.mu.Unlock()
		if done {
			return
		}
		if p.used() > p.most() {
			p.endLongest()
		}
	}
}

// endLongest ends the worker that is leased longest.
func (p *Pool) endLongest() {
	for _, w := range p.working() {
		if !w.crowded.Swap(true) {
			w.kill()
			return
		}
	}
}

// watchSpare watches the memory where more than Limits.Workers are leased. The caller holds p.mu.
func (p *Pool) watchSpare() {
	if p.watched || p.limits.Memory <= 0 || len(p.leased) <= p.limits.Workers {
		return
	}
	p.watched = true
	p.all.Add(1)
	go p.watch()
}
