package stamp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
)

// keepUncompared returns the policy that keyed stamps in the text stay which nobody here can compare, where the options
// have them stay. What the digests do not count that are not written then, and what there is to report, is added to
// what was decided.
func (d *Decided) keepUncompared(opts Options) []policy.Func {
	if !opts.KeepUncompared {
		return nil
	}
	settings := opts.settings()
	with := plan.Comparing{HasKey: opts.Key != nil,
		CountsCiphertext: settings.CountsCiphertext(), CountsSealed: settings.CountsSealed()}
	return []policy.Func{func(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
		out := byPlace(wanted)
		for from := 0; from < len(out); {
			to := from + 1
			for to < len(out) && out[to].Place == out[from].Place {
				to++
			}
			if kept := d.keptAt(&places[out[from].Place], out[from:to], with, opts.Key); kept != nil {
				out = slices.Concat(out[:from], kept, out[to:])
			}
			from = to
		}
		return out
	}}
}

// keptAt returns what is wanted at a place where some stamps stay; nil where none does.
func (d *Decided) keptAt(p *plan.Place, wanted []plan.Wanted, with plan.Comparing, key *hashing.Key) []plan.Wanted {
	of := d.sites[wanted[0].Place].strategy
	if of == nil || p.Workload < 0 || p.Way == 0 {
		return nil
	}
	var out []plan.Wanted
	w, had, isTogether := &d.workloads[p.Workload], of.earlier(), p.Way.Has(plan.Together)
	written := wanted
	if isTogether {
		written = combine(wanted, d.prefix, key)
	}
	for i := range written {
		one := &written[i]
		about := func(r *plan.Reference) bool { return isTogether || r.Kind == one.Kind && r.Name == one.Name }
		why := with.Uncompared(w, about, had[writtenTo(p.Way, one)], one.Value)
		if why == plan.Checked || one.Reason != plan.Digest {
			continue
		}
		d.reportUncompared(w, one, why)
		if out == nil {
			out = slices.Clone(wanted)
		}
		for k := range out {
			if out[k].Reason == plan.Digest && (isTogether || out[k].Key == one.Key) {
				out[k].Value, out[k].Reason = "", plan.Unknown
				d.discount(w, &out[k], why)
			}
		}
	}
	return out
}

// writtenTo returns the key of an annotation, or the name of a variable, that a stamp is written to.
func writtenTo(way plan.Way, w *plan.Wanted) string {
	switch {
	case !way.Has(plan.ByVariable):
		return w.Key
	case w.Kind == "":
		return hashing.CombinedVariable
	}
	return hashing.Variable(w.Kind, annotatedName(w.Namespace, w.Name))
}

// discount has a digest not count that was made without a hash key and is not written.
func (d *Decided) discount(w *plan.Workload, of *plan.Wanted, why plan.Unchecked) {
	isOf := func(r plan.Reference) bool { return r.Unkeyed && r.Kind == of.Kind && r.Name == of.Name }
	if why == plan.LacksKey && slices.ContainsFunc(w.References, isOf) {
		d.unkeyed--
	}
}

// reportUncompared reports a stamp that stays.
func (d *Decided) reportUncompared(w *plan.Workload, of *plan.Wanted, why plan.Unchecked) {
	what := "all that it reads"
	if of.Kind != "" {
		namespace := cmp.Or(of.Namespace, w.Namespace)
		what = manifest.Describe(of.Kind, namespace, of.Name)
	}
	d.lacksKey = d.lacksKey || why == plan.LacksKey
	message := fmt.Sprintf("its stamp of %s stays as it is, %s", what, why.Because())
	f := diag.New(diag.StampUnchecked, manifest.Describe(w.Kind, w.Namespace, w.Name), message).AsNotice()
	f.Hint = cmp.Or(why.Hint(), f.Hint)
	d.findings = append(d.findings, f.At(w.Position))
}
