package diff

import (
	"slices"

	"github.com/rollstamp/rollstamp/plan"
)

// dropAdopted takes out of the changed places of a pair what is no change of a stamp: the lock of the new side says
// which stamp a digest had until now, and both sides have that digest.
func (p prefixes) dropAdopted(of pair, now *inventory, changes []FieldChange) []FieldChange {
	if of.old.workload == nil || of.now.workload == nil ||
		!slices.ContainsFunc(of.now.workload.References, keepsStamp) {
		return changes
	}
	was, is := p.references(of.old), p.references(of.now)
	isMade := !now.asIs && !now.standing[of.now.id()] // here, so that what is hidden is known, too
	return slices.DeleteFunc(changes, func(f FieldChange) bool {
		name, isStamp := p.stamp(f.Path)
		before, after := was[name], is[name]
		if !isStamp || f.Change != Modification || before == nil || after == nil {
			return false
		}
		return keepsStamp(*after) && before.Held == "" && before.Digest == after.Digest &&
			(f.Hidden && isMade || f.From == before.Digest && f.To == after.Stamp)
	})
}

// keepsStamp reports whether a line of the lock has a stamp stay that was made in another way, as with another key.
func keepsStamp(r plan.Reference) bool { return r.Held == plan.Adopted && r.Stamp != "" }
