package stamp

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
)

// follow returns the policies by which people's decisions hold, and records what they keep from being written: of the
// whole, and of the references that it is about.
//
// Argument names the application to commands.
func (d *Decided) follow(decisions *policy.Decisions, argument string) []policy.Func {
	in := decisions.In(d.workloads, d.Places, d.Wanted, d.prefix)
	if in == nil {
		return nil
	}
	d.holds, d.findings = in.Holds, append(d.findings, in.Findings...)
	d.findings = append(d.findings, waiting(d, argument)...)
	for i := range d.holds {
		h := &d.holds[i]
		if r := d.referenceOf(&h.Wanted); r != nil {
			r.Held, r.Stamp = h.Held, h.Stamp
			d.keepWay(r, h)
		}
	}
	for i := range in.Unchecked {
		one := &in.Unchecked[i]
		if r := d.referenceOf(&one.Wanted); r != nil {
			r.Unchecked, r.LacksKey = one.Line, !hashing.IsKeyed(one.Value)
			d.locksKey = d.locksKey || r.LacksKey
		}
	}
	return in.Policies
}

// referenceOf returns the reference whose digest is wanted at a place; nil for none.
func (d *Decided) referenceOf(w *plan.Wanted) *plan.Reference {
	references := d.workloads[d.Places[w.Place].Workload].References
	at := slices.IndexFunc(references, func(r plan.Reference) bool {
		return r.Kind == w.Kind && r.Name == w.Name && r.Digest == w.Value
	})
	if at < 0 {
		return nil
	}
	return &references[at]
}

// keepWay has a reference say where its digest gets that is held as it got there until now.
func (d *Decided) keepWay(r *plan.Reference, h *plan.Hold) {
	switch {
	case h.Way == 0 || len(r.Phantoms) > 0:
		return
	case h.Way.Has(plan.ByVariable) && h.Way.Has(plan.Together):
		r.Annotation, r.Variable = "", hashing.CombinedVariable
	case h.Way.Has(plan.ByVariable):
		r.Annotation, r.Variable = "", hashing.Variable(h.Kind, annotatedName(h.Namespace, h.Name))
	case h.Way.Has(plan.Together):
		r.Annotation, r.Variable = d.prefix.Combined(), ""
	default:
		r.Annotation, r.Variable = h.Key, ""
	}
}

// waiting reports what waits for approval, with the command that approves it.
func waiting(d *Decided, argument string) (found []diag.Finding) {
	if argument != "" {
		argument += " "
	}
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
		f := diag.New(diag.Unapproved, what, why)
		id := strings.Replace(policy.WorkloadID(w.Kind, w.Namespace, w.Name), "//", "/", 1)
		f.Hint = "Approve it with 'rollstamp approve " + argument + id + "'."
		found = append(found, f.At(w.Position))
	}
	return found
}
