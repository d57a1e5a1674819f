package workers

import (
	"context"
	"slices"
)

// offer is what comes to one who waits for a worker.
type offer struct {
	worker *worker
	err    error // instead
}

// take returns the worker that is ready first: one that is idle, one that another caller hands back, or a new one. A
// machine that is busy may take longer to start a process than to finish what the others work on.
func (p *Pool) take(ctx context.Context) (*worker, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if w := p.takeIdle(); w != nil {
		p.mu.Unlock()
		return w, nil
	}
	offered := make(chan offer, 1)
	p.waiting = append(p.waiting, offered)
	if p.starting < len(p.waiting) {
		p.startAside()
	}
	p.mu.Unlock()
	select {
	case o := <-offered:
		return o.worker, o.err
	case <-ctx.Done():
		p.giveUp(offered)
		return nil, context.Cause(ctx)
	}
}

// takeIdle returns the idle worker that was used last; nil where there is none. The caller holds p.mu.
func (p *Pool) takeIdle() *worker {
	for last := len(p.idle) - 1; last >= 0; last-- {
		w := p.idle[last]
		p.idle = p.idle[:last]
		if w.isAlive() {
			return w
		}
	}
	return nil
}

// giveUp ends the wait for a worker. One that has been offered meanwhile is for others.
func (p *Pool) giveUp(offered chan offer) {
	p.mu.Lock()
	p.waiting = slices.DeleteFunc(p.waiting, func(other chan offer) bool { return other == offered })
	p.mu.Unlock()
	select {
	case o := <-offered:
		if o.worker != nil {
			p.put(o.worker)
		}
	default:
	}
}

// offer ends the wait of who came first. The caller holds p.mu, and knows that somebody waits.
func (p *Pool) offer(o offer) {
	p.waiting[0] <- o
	p.waiting = slices.Delete(p.waiting, 0, 1)
}

// fail ends the wait of one for whom no worker is started any more. The caller holds p.mu.
func (p *Pool) fail(err error) {
	if p.starting < len(p.waiting) {
		p.offer(offer{err: err})
	}
}

// put passes a worker to who waits for one, or has it wait for work. As many may wait as may work: those that work
// for long do so beside others.
func (p *Pool) put(w *worker) {
	p.mu.Lock()
	isKept := !p.closed && (len(p.waiting) > 0 || len(p.idle) < p.limits.Workers)
	switch {
	case !isKept:
	case len(p.waiting) > 0:
		p.offer(offer{worker: w})
	default:
		p.idle = append(p.idle, w)
	}
	p.mu.Unlock()
	if !isKept {
		w.retire()
	}
}

// replace starts a worker instead of one that has ended, unless enough wait for work.
func (p *Pool) replace() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed && len(p.idle)+p.starting < p.limits.Workers {
		p.startAside()
	}
}

// startAside starts a worker for who waits, now or later. The caller holds p.mu.
func (p *Pool) startAside() {
	p.begin()
	p.all.Add(1)
	go func() {
		defer p.all.Done()
		_ = p.start(context.Background()) // where it fails, who waits is told, or the next lease
	}()
}
