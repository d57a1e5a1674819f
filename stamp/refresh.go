package stamp

import (
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// refreshment decides what is written into producers.
type refreshment struct{ *decider }

// decide wants the digest of all that an object produces in the object's own annotations, where its operator
// takes a change of these for a reason to fetch at once: pods that restart in the same sync would otherwise find what
// was fetched before.
//
// Only what stamped workloads consume has one, and only where something else than the object's own text shapes the
// content: a change of that text is reason enough for the operator.
func (d *refreshment) decide() {
	row := d.refresher
	for _, m := range d.in.index.Producers() {
		path := m.Refresh()
		if path == nil || d.in.reencodes(m.Offset) {
			continue
		}
		o, name := d.consumed[m], d.names[m]
		if o != nil && row.also != nil {
			row.also(d, m, o)
		}
		if !row.annotates {
			o = nil
		}
		if name != nil && name.digest != "" {
			o = name.object
		}
		if o != nil || d.in.stamped[m] {
			d.annotate(m, path, o, name)
		}
	}
}

// annotate wants the digest of an object in the annotations of its producer, or removes an earlier one where
// the object is nil.
func (d *refreshment) annotate(m *objects.Producer, path []string, o *objects.Object, name *suffix) {
	slot, err := splice.Locate(m.Node(), path, claim)
	switch {
	case err != nil && o != nil:
		d.add(diag.New(diag.BadTemplate, m.String(),
			"no annotation can be written there that makes the operator fetch again"), m.Offset)
		return
	case err != nil:
		return
	}
	at := d.place(plan.Place{Workload: -1},
		site{strategy: annotations{slot}, document: -1, owner: m.String(), offset: m.Offset})
	if o == nil {
		return
	}
	value := ""
	if name != nil {
		value = name.value
	}
	if value == "" {
		value = d.whole[o]
	}
	if value == "" {
		value = d.digest(o, o.Content(&d.memory), scope{all: true})
	}
	d.want(plan.Wanted{Place: at, Kind: o.Kind, Name: o.Name, Key: annotationKey(o.Kind, o.Name), Value: value,
		Reason: plan.Refresh})
	if name != nil && name.made {
		d.want(plan.Wanted{Place: at, Kind: o.Kind, Name: o.Name, Key: madeName.Key, Value: madeName.Value,
			Reason: plan.Refresh})
	}
}
