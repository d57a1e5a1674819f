package stamp

import (
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// refresh wants the digest of all that an object produces in the object's own annotations, where its operator takes a
// change of these for a reason to fetch at once: pods that restart in the same sync would otherwise find what was
// fetched before.
//
// Only what stamped workloads consume has one, and only where something else than the object's own text shapes the
// content: a change of that text is reason enough for the operator.
func refresh(run *run, row refresher, f *fetched, names renames) outcome {
	out := newOutcome(run.in, len(f.objects), len(f.objects))
	for _, m := range run.in.index.Producers() {
		path := m.Refresh()
		if path == nil || run.in.reencodes(m.Offset) {
			continue
		}
		o, name := f.objects[m], names.produced[m]
		if o != nil && row.also != nil {
			out.join(row.also(run, m, o))
		}
		if !row.annotates {
			o = nil
		}
		if name != nil && name.digest != "" {
			o = name.object
		}
		if o == nil && !run.in.stamped[m] {
			continue
		}
		if annotate(&out, m, path, run.claim, o != nil) && o != nil {
			value, err := refreshValue(run, o, name, f.whole[o])
			out.fail(err)
			wantRefresh(&out, run.prefix, o, name, value)
		}
	}
	return out
}

// annotate adds the annotations of a producer as a place, where an earlier stamp is removed if none is wanted. It
// reports whether they can be written.
func annotate(out *outcome, m *objects.Producer, path []string, claim claim, wanted bool) bool {
	slot, err := splice.Locate(m.Node(), path, claim)
	if err == nil {
		out.producerPlace(annotations{slot})
	} else if wanted {
		out.add(diag.New(diag.BadTemplate, m.String(),
			"no annotation can be written there that makes the operator fetch again"), m.Offset)
	}
	return err == nil
}

// refreshValue returns the digest of all that is in an object: the one in its name, or whole, where it is known.
func refreshValue(run *run, o *objects.Object, name *suffix, whole string) (string, error) {
	switch {
	case name != nil && name.value != "":
		return name.value, nil
	case whole != "":
		return whole, nil
	}
	run.contents.Read(o, &run.memory)
	return run.digester.digest(o, &run.memory, scope{all: true})
}

// wantRefresh wants a digest at the last place, and the mark of a name that was added.
func wantRefresh(out *outcome, prefix hashing.Prefix, o *objects.Object, name *suffix, value string) {
	w := plan.Wanted{Place: len(out.places) - 1, Kind: o.Kind, Name: o.Name, Key: annotationKey(prefix, o.Kind, o.Name),
		Value: value, Reason: plan.Refresh}
	out.want(w)
	if name != nil && name.made {
		w.Key, w.Value = prefix.TargetName(), madeName
		out.want(w)
	}
}
