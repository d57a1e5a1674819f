package diff

import (
	"sync"

	"github.com/rollstamp/rollstamp/plan"
)

// held reports changes that people decided to hold of what the application itself has not: what another application
// renders for its workloads, and what a producer makes. Changes of its own ConfigMaps and Secrets name their keys.
func (n neighbours) held(old, now *inventory) (out []Quiet) {
	before := sync.OnceValue(old.workloads)
	for _, o := range now.all {
		if o.workload == nil {
			continue
		}
		for i := range o.workload.References {
			r := &o.workload.References[i]
			reason := heldReasons[r.Held]
			if reason == "" || r.Digest == "" || now.find(r.Kind, r.Namespace, r.Name) != nil {
				continue
			}
			if was := digestOf(before()[o.id()], r); was == "" || was == r.Digest {
				continue
			}
			q := Quiet{Name: Name{App: n.appOf(r), Kind: r.Kind, Namespace: r.Namespace, Name: r.Name},
				Keys: []KeyChange{}, Reason: reason, Reader: o.Name.String()}
			if own := n.names[n.index]; q.App != own {
				q.ReaderApp = own
			}
			out = append(out, q)
		}
	}
	return out
}

// workloads returns the workloads of the side by what tells them apart.
func (in *inventory) workloads() map[id]*plan.Workload {
	out := map[id]*plan.Workload{}
	for _, o := range in.all {
		if o.workload != nil {
			out[o.id()] = o.workload
		}
	}
	return out
}

// digestOf returns the digest that a workload, nil for none, has for what a reference is to; "" where there is none.
func digestOf(w *plan.Workload, to *plan.Reference) string {
	if w == nil {
		return ""
	}
	for _, r := range w.References {
		if r.Kind == to.Kind && r.Namespace == to.Namespace && r.Name == to.Name {
			return r.Digest
		}
	}
	return ""
}

// heldReasons are why what is held restarts nothing.
var heldReasons = map[plan.Reason]string{plan.Waiting: Waits, plan.Adopted: IsAdopted}
