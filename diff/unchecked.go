package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/plan"
)

// unchecked is what workloads refer to that the lock adopts by digests of a hash key that this run does not have: as
// long as the line stays, what it comes to is known, and where it comes or goes, it is not. Of a run with a key that no
// line shows to be another one, no more than a first stamp is in doubt, for which nothing else is a reason.
type unchecked struct {
	keyless map[Name]map[string]bool // by the workload, the objects; true for a run without a key
	all     []Unknown
}

// uncheckedIn returns what is not known of the workloads that are on both sides.
func uncheckedIn(old, now *inventory) unchecked {
	out := unchecked{keyless: map[Name]map[string]bool{}}
	for _, o := range now.all {
		was := old.by[o.id()]
		if o.workload == nil || was == nil || was.workload == nil {
			continue
		}
		for i := range o.workload.References {
			r := &o.workload.References[i]
			before := sameAmong(was.workload.References, r)
			if before.Unchecked == r.Unchecked {
				continue
			}
			object := r.Kind + " " + r.Name
			if out.keyless[o.Name] == nil {
				out.keyless[o.Name] = map[string]bool{}
			}
			out.keyless[o.Name][object] = before.LacksKey || r.LacksKey
			out.all = append(out.all, Unknown{Reason: OtherKey, App: o.App, Object: &o.Name, Via: object})
		}
	}
	return out
}

// sameAmong returns the reference to the same object among those of the other side; the zero one for none.
func sameAmong(all []plan.Reference, of *plan.Reference) (same plan.Reference) {
	for i := range all {
		if r := &all[i]; r.Kind == of.Kind && r.Namespace == of.Namespace && r.Name == of.Name {
			return *r
		}
	}
	return same
}

// isFor reports whether all causes of a restart are of what is not known.
func (u unchecked) isFor(r Restart) bool {
	objects := u.keyless[r.Name]
	return len(objects) > 0 && !slices.ContainsFunc(r.Causes, func(c Cause) bool {
		object, _, _ := strings.Cut(c.Object, " (")
		keyless, known := objects[object]
		return !c.Noise && (!known || !keyless && c.Reason != First)
	})
}

// takeFrom leaves the restarts that are certain in a comparison, and adds what is not known of workloads that none of
// them is of.
func (u unchecked) takeFrom(c *Comparison) {
	if len(u.all) == 0 {
		return
	}
	doubted, restarted := map[Name]bool{}, map[Name]bool{}
	c.Restarts = slices.DeleteFunc(c.Restarts, func(r Restart) bool {
		isDoubted := u.isFor(r)
		if isDoubted {
			doubted[r.Name] = true
		} else {
			restarted[r.Name] = true
		}
		return isDoubted
	})
	for _, one := range u.all {
		if of := *one.Object; doubted[of] || !restarted[of] && u.keyless[of][one.Via] {
			c.Unknown = append(c.Unknown, one)
		}
	}
}
