package cluster

import (
	"testing"
	"time"
)

// kubelet says of each pod that it runs, until the test ends: without nodes nobody else does.
func (c *Cluster) kubelet(t testing.TB) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				c.markPods()
			}
		}
	}()
}

func (c *Cluster) markPods() {
	now := time.Now().UTC().Format(time.RFC3339)
	for _, one := range c.pending() {
		if one.isOfJob() {
			continue // RunJobs is for these
		}
		c.report(&one, `{"phase": "Running", "startTime": %[1]q, "conditions": [
{"type": "Ready", "status": "True", "lastTransitionTime": %[1]q}, {"type": "ContainersReady", "status": "True", "lastTransitionTime": %[1]q}]}`, now)
	}
}
