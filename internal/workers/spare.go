package workers

import (
	"slices"
	"time"
)

// HasSpare reports whether more workers than Limits.Workers may be leased now: those at work use at most half of the
// memory that Limits.Workers may.
func (p *Pool) HasSpare() bool {
	if p.limits.Spare <= 0 {
		return false
	}
	p.mu.Lock()
	working := slices.Clone(p.leased)
	p.mu.Unlock()
	return p.limits.Memory <= 0 || used(working) <= p.most()/2
}

// most returns the bytes that all workers may use together.
func (p *Pool) most() int64 { return p.limits.Memory * int64(p.limits.Workers) }

// used returns the bytes that workers use.
func used(all []*worker) (sum int64) {
	for _, w := range all {
		sum += w.memory()
	}
	return sum
}

// betweenLooks is the time between two looks at the memory of more workers than Limits.Workers.
const betweenLooks = 50 * time.Millisecond

// watch ends a worker whenever more than Limits.Workers use more memory than these may, until no more run: one that is
// idle, or else the one that is leased longest. What is new is what others wait for, and the memory is theirs.
func (p *Pool) watch() {
	defer p.all.Done()
	ticker := time.NewTicker(betweenLooks)
	defer ticker.Stop()
	for range ticker.C {
		p.mu.Lock()
		p.watched = p.running > p.limits.Workers
		all := slices.Concat(p.leased, p.idle)
		done := !p.watched
		p.mu.Unlock()
		if done {
			return
		}
		if used(all) > p.most() {
			p.makeRoom()
		}
	}
}

// makeRoom ends an idle worker, or where there is none the one that is leased longest.
func (p *Pool) makeRoom() {
	p.mu.Lock()
	idle := p.takeIdle()
	working := slices.Clone(p.leased)
	p.mu.Unlock()
	if idle != nil {
		idle.retire()
		return
	}
	for _, w := range working {
		if !w.crowded.Swap(true) {
			w.kill()
			return
		}
	}
}

// watchSpare watches the memory where more than Limits.Workers run. The caller holds p.mu.
func (p *Pool) watchSpare() {
	if p.watched || p.limits.Memory <= 0 || p.running <= p.limits.Workers {
		return
	}
	p.watched = true
	p.all.Add(1)
	go p.watch()
}
