package policy

import (
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// RestartAnnotation is the stamp of a restart that somebody asked for; its value is when.
const RestartAnnotation = hashing.Prefix + "restart"

// Decisions are what people decided about the workloads of an application, as the lock holds it. Nil are none.
type Decisions struct{ all []lock.Decision }

// NewDecisions returns the decisions of a lock; nil where there are none.
func NewDecisions(all []lock.Decision) *Decisions {
	if len(all) == 0 {
		return nil
	}
	return &Decisions{all}
}

// WorkloadID returns a workload as decisions name it.
func WorkloadID(kind, namespace, name string) string { return kind + "/" + namespace + "/" + name }

// Policies returns the policies by which the decisions hold for some workloads, in their order.
func (d *Decisions) Policies(workloads []plan.Workload) []Func {
	if d == nil {
		return nil
	}
	return []Func{d.restart(workloads)}
}

// restart returns the policy that adds the stamps of restarts.
func (d *Decisions) restart(workloads []plan.Workload) Func {
	return func(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
		asked := map[string]string{}
		for _, one := range d.all {
			if one.Class == lock.Restart {
				asked[one.Workload], _, _ = strings.Cut(one.Text, " ")
			}
		}
		for i, p := range places {
			if p.Workload < 0 || p.Excluded {
				continue
			}
			w := &workloads[p.Workload]
			if when := asked[WorkloadID(w.Kind, w.Namespace, w.Name)]; when != "" {
				wanted = append(wanted[:len(wanted):len(wanted)], plan.Wanted{Place: i, Key: RestartAnnotation, Value: when,
					Reason: plan.Restart})
			}
		}
		return wanted
	}
}

// Unused returns findings about decisions on workloads that are not there, or that get no stamps.
func (d *Decisions) Unused(workloads []plan.Workload) (found []diag.Finding) {
	if d == nil {
		return nil
	}
	stamped, known := map[string]bool{}, map[string]bool{}
	for i := range workloads {
		w := &workloads[i]
		id := WorkloadID(w.Kind, w.Namespace, w.Name)
		known[id], stamped[id] = true, stamped[id] || w.Stamped
	}
	for _, one := range d.all {
		if stamped[one.Workload] {
			continue
		}
		why := " is not in the render"
		if known[one.Workload] {
			why = " is not stamped"
		}
		kind, rest, _ := strings.Cut(one.Workload, "/")
		namespace, name, _ := strings.Cut(rest, "/")
		what := manifest.Describe(kind, namespace, name)
		f := diag.New(diag.DecisionUnused, what, what+why+", and a line of the lock is about it")
		found = append(found, f.At(one.Pos))
	}
	return found
}
