package remote

import (
	"sync"
	"time"
)

// toEnd is how long the program may take to end when nobody waits for it any more.
const toEnd = 2 * time.Second

// Children counts the programs that a run has started and that have not ended. The zero value is ready; nil counts
// nothing.
type Children struct {
	mu      sync.Mutex
	running int
	none    chan struct{} // closed when the last one has ended; nil where nobody waits
}

// begin counts one, and returns what is to be called when that has ended.
func (c *Children) begin() (ended func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.running--; c.running == 0 && c.none != nil {
			close(c.none)
			c.none = nil
		}
	}
}

// Wait waits until all have ended, as their contexts make them, but not for ever. A program that ends before its
// children leaves them to the first process of the machine, which in a container may be one that looks after nobody.
func (c *Children) Wait() {
	if c == nil {
		return
	}
	c.mu.Lock()
	if c.running == 0 {
		c.mu.Unlock()
		return
	}
	if c.none == nil {
		c.none = make(chan struct{})
	}
	none := c.none
	c.mu.Unlock()
	timer := time.NewTimer(toEnd + time.Second)
	defer timer.Stop()
	select {
	case <-none:
	case <-timer.C:
	}
}
