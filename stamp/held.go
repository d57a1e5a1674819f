package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
)

// follow returns the policies by which people's decisions hold, and records what they keep from being written: of the
// whole, and of the references that it is about.
func (d *Decided) follow(decisions *policy.Decisions) []policy.Func {
	in := decisions.In(d.workloads, d.Places, d.Wanted, d.prefix)
	if in == nil {
		return nil
	}
	d.holds, d.findings = in.Holds, append(d.findings, in.Findings...)
	d.findings = append(d.findings, waiting(d)...)
	for i := range d.holds {
		h := &d.holds[i]
		references := d.workloads[d.Places[h.Place].Workload].References
		at := slices.IndexFunc(references, func(r plan.Reference) bool {
			return r.Kind == h.Kind && r.Name == h.Name && r.Digest == h.Value
		})
		if at >= 0 {
			references[at].Held, references[at].Stamp = h.Held, h.Stamp
		}
	}
	return in.Policies
}

// waiting reports what waits for approval.
func waiting(d *Decided) (found []diag.Finding) {
	for i := range d.holds {
		h := &d.holds[i]
		if h.Held != plan.Waiting {
			continue
		}
		w := &d.workloads[d.Places[h.Place].Workload]
		what := manifest.Describe(w.Kind, w.Namespace, w.Name)
		why := "a change of " + policy.ObjectID(&h.Wanted) + " waits for approval"
		if h.Stamp == "" {
			why = policy.ObjectID(&h.Wanted) + " waits for its first approval"
		}
		found = append(found, diag.New(diag.Unapproved, what, why).At(w.Position))
	}
	return found
}
