package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/plan"
)

// outcome is what one part of deciding returns: what is wanted at which places, and what it reports.
type outcome struct {
	findings
	errs   failures
	places []plan.Place
	sites  []site        // of the places
	wanted []plan.Wanted // by place
}

// newOutcome returns an empty outcome with memory for places and what is wanted there.
func newOutcome(in *Input, places, wanted int) outcome {
	return outcome{findings: findings{positions: in.positions}, places: make([]plan.Place, 0, places),
		sites: make([]site, 0, places), wanted: make([]plan.Wanted, 0, wanted)}
}

// place adds a place, and returns its number.
func (o *outcome) place(p plan.Place, s site) int {
	o.places, o.sites = append(o.places, p), append(o.sites, s)
	return len(o.places) - 1
}

// producerPlace adds a place in a producer, and returns its number.
func (o *outcome) producerPlace(s strategy) int {
	return o.place(plan.Place{Workload: -1}, site{strategy: s, document: inPlace})
}

func (o *outcome) want(w plan.Wanted) { o.wanted = append(o.wanted, w) }

// fail records the error of a digest, if there is one.
func (o *outcome) fail(err error) {
	if err != nil {
		o.errs.add(err)
	}
}

// join adds another part, with its places after those that are there.
func (o *outcome) join(part outcome) {
	o.list = append(o.list, part.list...)
	for _, err := range part.errs {
		o.errs.add(err)
	}
	first := len(o.places)
	if first == 0 {
		o.places, o.sites, o.wanted = part.places, part.sites, part.wanted
		return
	}
	o.places, o.sites = append(o.places, part.places...), append(o.sites, part.sites...)
	o.wanted = slices.Grow(o.wanted, len(part.wanted))
	for _, w := range part.wanted {
		w.Place += first
		o.wanted = append(o.wanted, w)
	}
}
