package main

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
)

// consumed is what a workload reads of an object, as lines of the lock name both.
type consumed struct {
	workload, object string
}

// digests are the digests of objects, one for each pod template that reads one, with the stamps that are written.
type digests struct {
	order []consumed // by place
	all   map[consumed][]policy.Digest
	ways  map[consumed]ways
	// stamped are those of which not all digests are in variables that are read from __data
	stamped map[consumed]bool
}

// ways are how a digest gets into a pod template, and how the configuration asks for it: another way where a line of
// the lock keeps that of before.
type ways struct{ now, asked plan.Way }

// atPlace is a stamp of a plan.
type atPlace struct {
	place int
	key   string
}

// digestsOf returns the digests of a plan that stamps have, and variables that are read from __data; none of nil.
func digestsOf(p *plan.Plan) digests { return digestsFor(p, plan.Digest, plan.Variable) }

// stampDigestsOf returns the digests of a plan that stamps have: what waits for an approval, or gets no stamp on the
// day of the installation.
func stampDigestsOf(p *plan.Plan) digests { return digestsFor(p, plan.Digest) }

func digestsFor(p *plan.Plan, reasons ...plan.Reason) digests {
	out := digests{all: map[consumed][]policy.Digest{}, ways: map[consumed]ways{}, stamped: map[consumed]bool{}}
	if p == nil {
		return out
	}
	isOther := func(h plan.Hold) bool { return !slices.Contains(reasons, h.Reason) }
	holds, held := slices.DeleteFunc(slices.Clone(p.Holds), isOther), map[atPlace]bool{}
	for i := range holds {
		held[atPlace{holds[i].Place, holds[i].Key}] = true
	}
	for _, w := range p.Stamps {
		if slices.Contains(reasons, w.Reason) && !held[atPlace{w.Place, w.Key}] && p.Places[w.Place].Workload >= 0 {
			holds = append(holds, plan.Hold{Wanted: w, Stamp: w.Value})
		}
	}
	slices.SortStableFunc(holds, func(a, b plan.Hold) int { return cmp.Compare(a.Place, b.Place) })
	for _, h := range holds {
		of := consumedBy(p, &h)
		if out.all[of] == nil {
			out.order = append(out.order, of)
		}
		if h.Reason == plan.Digest && !out.stamped[of] {
			asked := p.Places[h.Place].Way
			out.ways[of], out.stamped[of] = ways{cmp.Or(h.Way, asked), asked}, true
		}
		out.all[of] = append(out.all[of], policy.Digest{Value: h.Value, Stamp: h.Stamp})
	}
	return out
}

// has reports whether a workload has a stamp for what it refers to, or one that people decided on.
func (d digests) has(w *plan.Workload, r *plan.Reference) bool {
	object := plan.Wanted{Kind: r.Kind, Name: r.Name}
	if r.Namespace != w.Namespace {
		object.Namespace = r.Namespace
	}
	id := policy.ObjectID(&object)
	return len(d.all[consumed{policy.WorkloadID(w.Kind, w.Namespace, w.Name), id}]) > 0
}

// droppedForeign returns the workloads that lose annotations of other tools, with these.
func droppedForeign(p *plan.Plan) map[[2]string]bool {
	out := map[[2]string]bool{}
	if p == nil {
		return out
	}
	for i, key := range p.TakenOut() {
		w := &p.Workloads[i]
		out[[2]string{policy.WorkloadID(w.Kind, w.Namespace, w.Name), key}] = true
	}
	return out
}

// consumedBy returns what a hold is about.
func consumedBy(p *plan.Plan, h *plan.Hold) consumed {
	w := &p.Workloads[p.Places[h.Place].Workload]
	return consumed{policy.WorkloadID(w.Kind, w.Namespace, w.Name), policy.ObjectID(&h.Wanted)}
}
