package diff

import (
	"slices"

	"github.com/rollstamp/rollstamp/plan"
)

// unheld is why a change that is held restarts its workload all the same.
const unheld = "held by the lock or for an approval, and comes into force with this restart"

// bringHeld adds to restarts what of held configuration comes into force with them: pods that are replaced for another
// cause read it as it is now, whoever has approved it.
func bringHeld(restarting map[*object]*Restart, deltas []*delta, readers map[*object][]reader) {
	for _, d := range deltas {
		if !d.now.isConfig() {
			continue
		}
		for _, r := range readers[d.now] {
			restart := restarting[r.workload]
			if restart == nil || !restart.Rollout.Replaces() || !r.isHeld() {
				continue
			}
			if keys := r.changed(d); len(keys) > 0 {
				object, via := r.cause(d)
				restart.add([]Cause{{Reason: Config, Object: object, Via: via, Keys: keys, Why: unheld,
					File: d.now.File, Line: d.now.Line}})
			}
		}
	}
}

// isHeld reports whether people decided that the digest of what is read is not written.
func (r reader) isHeld() bool {
	return r.reference.Held == plan.Waiting || r.reference.Held == plan.Adopted
}

// changed returns the changes of the keys that the workload reads.
func (r reader) changed(d *delta) []KeyChange {
	keys := slices.Clone(d.keys)
	if read := r.reference.Keys; read != nil {
		keys = slices.DeleteFunc(keys, func(k KeyChange) bool { return !slices.Contains(read, k.Key) })
	}
	return keys
}
