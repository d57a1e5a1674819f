package parts

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/e2e/cluster"
)

// patience is how long a controller may take on a machine that has much else to do. A test that passes does not wait so
// long.
const patience = 4 * time.Minute

// Ready is what an object of Flux's says of itself.
type Ready struct{ Status, Reason, Message string }

// ReadyOf reads the condition of an object; it is empty where the object's last change was not seen yet.
func ReadyOf(o cluster.Object) Ready {
	conditions, _ := o.Field("status", "conditions").([]any)
	for _, c := range conditions {
		m, _ := c.(map[string]any)
		if m["type"] == "Ready" && fmt.Sprint(m["observedGeneration"]) == fmt.Sprint(o.Field("metadata", "generation")) {
			return Ready{Status: fmt.Sprint(m["status"]), Reason: fmt.Sprint(m["reason"]), Message: fmt.Sprint(m["message"])}
		}
	}
	return Ready{}
}

// IsStatic reports whether an object of Flux's has no conditions: a HelmRepository of a registry.
func IsStatic(o cluster.Object) bool {
	return o.Kind() == "HelmRepository" && o.Text("spec", "type") == "oci"
}

// Live reads an object of the cluster.
func (f *Flux) Live(t testing.TB, o cluster.Object) cluster.Object {
	t.Helper()
	var live cluster.Object
	f.Get(t, f.Path(t, o), &live)
	return live
}

// Await waits until an object has what a function looks for, and returns it as it is then. It fails at once where the
// controller could not build the object, unless that is looked for.
func (f *Flux) Await(t testing.TB, o cluster.Object, what string, holds func(cluster.Object) bool) cluster.Object {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		live := f.Live(t, o)
		if holds(live) {
			return live
		}
		ready := ReadyOf(live)
		if ready.Status == "False" && ready.Reason == "BuildFailed" || time.Now().After(deadline) {
			t.Fatalf("%s: not after %s: %s; it is %+v", o, time.Since(deadline.Add(-patience)), what, ready)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// AwaitReady waits until an object is ready, and its status says with what.
func (f *Flux) AwaitReady(t testing.TB, o cluster.Object) cluster.Object {
	t.Helper()
	return f.Await(t, o, "it is ready", isReady)
}

// isReady reports whether an object is ready, with a whole status: the conditions are written before the rest of it.
func isReady(live cluster.Object) bool {
	if ReadyOf(live).Status != "True" {
		return false
	}
	switch live.Kind() {
	case "Kustomization":
		return live.Text("status", "lastAppliedRevision") != ""
	case "HelmRelease":
		return live.Field("status", "history") != nil
	default:
		return true
	}
}

// AwaitFailure waits until an object is not ready, for a reason that has words in it.
func (f *Flux) AwaitFailure(t testing.TB, o cluster.Object, words string) {
	t.Helper()
	f.Await(t, o, "it fails with "+words, func(live cluster.Object) bool {
		ready := ReadyOf(live)
		if ready.Status == "True" {
			t.Fatalf("%s is ready, and should fail with %q", o, words)
		}
		return ready.Status == "False" && strings.Contains(ready.Message, words)
	})
}

// Reconcile asks the controller to look at an object again, and waits until it has and the object is ready.
func (f *Flux) Reconcile(t testing.TB, o cluster.Object) cluster.Object {
	t.Helper()
	token := time.Now().Format(time.RFC3339Nano)
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{"reconcile.fluxcd.io/requestedAt": token}}})
	if err != nil {
		t.Fatal(err)
	}
	f.Do(t, http.MethodPatch, f.Path(t, o), "application/merge-patch+json", patch)
	return f.Await(t, o, "it is reconciled again", func(live cluster.Object) bool {
		return live.Text("status", "lastHandledReconcileAt") == token && isReady(live)
	})
}
