package stamp

import (
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
)

// suffixReader is a pod template that reads what is to be renamed.
type suffixReader struct {
	consumer *consumer
	consumed *consumption
}

// isAdopted reports whether an object keeps its name because all that reads it is adopted as it is: no digest has
// changed since. What a variable with the digest restarts needs no new name.
func (n *renamer) isAdopted(s *suffix) bool {
	if n.run.people == nil {
		return false
	}
	probe := *n.run
	probe.checked = newChecked(n.run.in.index)
	adopted := false
	for _, r := range s.readers {
		d := decideReference(&probe, r.consumer, r.consumed, renames{}, nil)
		if d.Digest == "" || r.consumer.hasVariableOf(&d) {
			continue
		}
		w := r.consumer.workload
		object := policy.ObjectID(&plan.Wanted{Kind: d.Kind, Namespace: d.elsewhere, Name: d.Name})
		if !n.run.people.Adopts(policy.WorkloadID(w.kind, w.namespace, w.name), object, d.Digest) {
			return false
		}
		adopted = true
	}
	return adopted
}
