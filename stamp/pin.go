package stamp

import (
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// pin is the strategy of a version that is written to where an object names the place in a store.
type pin struct {
	inserting
	slot *splice.Slot
}

func (p pin) edits(wanted []plan.Wanted) (out []splice.Edit) {
	for _, w := range wanted {
		out = append(out, p.slot.Insert([]splice.Entry{{Key: w.Key, Value: w.Value, Quoted: true}}))
	}
	return out
}

// pinVersions wants the versions that the lock or the stores returned where a producer names none, so that its
// operator fetches exactly these.
func pinVersions(run *run, m *objects.Producer, o *objects.Object) outcome {
	out, done := newOutcome(run.in, 0, 0), map[int]bool{}
	run.contents.Read(o, &run.memory)
	for _, a := range run.memory.RemoteRefs {
		if a.Producer != m || a.Answer.Version == "" || a.Ref.Version != "" || done[a.Node.Offset()] {
			continue
		}
		slot, version := pinSlot(a, run.claim)
		if slot == nil {
			out.add(diag.New(diag.NotPinned, m.String(), "the version of "+a.Ref.ID()+" cannot be written into it"), m.Offset)
			continue
		}
		done[a.Node.Offset()] = true
		out.want(plan.Wanted{Place: out.producerPlace(pin{slot: slot}), Kind: o.Kind, Name: o.Name, Key: "version",
			Value: version, Reason: plan.Refresh})
	}
	return out
}

// pinSlot returns where a version goes, and its text; nil where it cannot be written.
func pinSlot(a objects.RemoteRef, claim claim) (*splice.Slot, string) {
	version, ok := sources.Pin(a.Ref, a.Answer.Version)
	if !ok || !a.Node.Valid() {
		return nil, ""
	}
	slot, err := splice.Locate(a.Node, nil, claim)
	if err != nil {
		return nil, ""
	}
	return slot, version
}
