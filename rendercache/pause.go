package rendercache

import (
	"sync"
	"time"
)

// pause is for how long something that failed is not tried again. The zero value has not begun, and never ends.
type pause struct {
	again time.Duration // after which one trial is made; 0 is never
	note  func(error)   // is called when it begins; nil is nobody

	mu    sync.Mutex
	cause error // nil where nothing failed
	until time.Time
}

// begin has nothing tried for a while.
func (p *pause) begin(cause error) {
	p.mu.Lock()
	isNew := p.cause == nil
	if isNew {
		p.cause = cause
	}
	p.until = time.Now().Add(p.again)
	p.mu.Unlock()
	if isNew && p.note != nil {
		p.note(cause)
	}
}

// end has everything tried.
func (p *pause) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cause = nil
}

// ask returns why nothing is tried, nil where it is. When the time is over, whoever asks first makes the trial: if that
// succeeds, the pause ends. For others it goes on meanwhile.
func (p *pause) ask() (isTrial bool, cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause == nil || p.again == 0 {
		return false, p.cause
	}
	if now := time.Now(); now.After(p.until) {
		p.until = now.Add(p.again)
		return true, nil
	}
	return false, p.cause
}

// why returns why nothing is tried; nil where it is.
func (p *pause) why() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cause
}
