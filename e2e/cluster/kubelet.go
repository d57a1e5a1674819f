package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
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
	_, text, err := c.request(http.MethodGet, c.url+"/api/v1/pods?fieldSelector=status.phase%3DPending", "", nil)
	if err != nil {
		return // the cluster is going down, or will answer the next time
	}
	var pods struct {
		Items []struct {
			Metadata struct{ Namespace, Name string } `json:"metadata"`
		} `json:"items"`
	}
	if json.Unmarshal(text, &pods) != nil {
		return
	}
	now := time.Now().UTC().Format(time.RFC3339)
	for _, pod := range pods.Items {
		status := fmt.Sprintf(`{"status": {"phase": "Running", "startTime": %[1]q, "conditions": [
{"type": "Ready", "status": "True", "lastTransitionTime": %[1]q}, {"type": "ContainersReady", "status": "True", "lastTransitionTime": %[1]q}]}}`, now)
		_, _, _ = c.request(http.MethodPatch, c.url+"/api/v1/namespaces/"+pod.Metadata.Namespace+"/pods/"+pod.Metadata.Name+"/status",
			"application/merge-patch+json", []byte(status))
	}
}
