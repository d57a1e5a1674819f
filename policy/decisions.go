package policy

import (
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Decisions are what people decided about the workloads of an application, as the lock holds it. Nil are none.
type Decisions struct {
	all   []lock.Decision
	lines lines // for Adopts; nil until they are asked for
	once  sync.Once

	ways     map[WorkloadName][]plan.Way // for Ways; nil until they are asked for
	onceWays sync.Once
}

// NewDecisions returns the decisions of a lock; nil where there are none.
func NewDecisions(all []lock.Decision) *Decisions {
	if len(all) == 0 {
		return nil
	}
	return &Decisions{all: all}
}

// Adopts reports whether a line says that a digest of what a workload consumes of an object is adopted.
func (d *Decisions) Adopts(workload, object, digest string) bool {
	if d == nil {
		return false
	}
	d.once.Do(func() { d.lines = newLines(d.all) })
	l := d.lines[consumption{workload, object}]
	return l != nil && l.class == lock.Adopted &&
		slices.ContainsFunc(l.Digests, func(one Digest) bool { return one.Value == digest })
}

// Ways returns the ways of before in which lines have stamps of a workload written, whatever its namespace; nil for
// none.
func (d *Decisions) Ways(kind, name string) []plan.Way {
	if d == nil {
		return nil
	}
	d.onceWays.Do(func() { d.ways = waysIn(d.all) })
	return d.ways[WorkloadName{kind, "", name}]
}

// waysIn returns the ways that lines name, by workloads without their namespaces.
func waysIn(all []lock.Decision) map[WorkloadName][]plan.Way {
	out := map[WorkloadName][]plan.Way{}
	for i := range all {
		one := &all[i]
		if one.Class != lock.Adopted || !strings.Contains(one.Text, " ") { // nearly always
			continue
		}
		w, way := workloadName(one).withoutNamespace(), parseHeld(one.Class, one.Text).Way
		if way != 0 && !slices.Contains(out[w], way) {
			out[w] = append(out[w], way)
		}
	}
	return out
}

// WorkloadID returns a workload as decisions name it.
func WorkloadID(kind, namespace, name string) string { return kind + "/" + namespace + "/" + name }

// SplitWorkloadID returns what WorkloadID joined.
func SplitWorkloadID(id string) (kind, namespace, name string) {
	kind, rest, _ := strings.Cut(id, "/")
	namespace, name, _ = strings.Cut(rest, "/")
	return kind, namespace, name
}

// ObjectID returns the object of a stamp as decisions name it.
func ObjectID(w *plan.Wanted) string { return string(appendObject(nil, w)) }

func appendObject(to []byte, w *plan.Wanted) []byte {
	to = append(append(to, w.Kind...), '/')
	if w.Namespace != "" {
		to = append(append(to, w.Namespace...), '/')
	}
	return append(to, w.Name...)
}

// InForce is what decisions come to in one application.
type InForce struct {
	Policies  []Func // in their order
	Holds     []plan.Hold
	Unchecked []Unchecked
	Findings  []diag.Finding // about decisions that nothing follows from
}

// In returns what decisions come to for what is wanted in an application, whose stamps have a prefix; nil where that is
// nothing.
func (d *Decisions) In(workloads []plan.Workload, places []plan.Place, wanted []plan.Wanted,
	prefix hashing.Prefix) *InForce {
	if d == nil && !anyManual(places) {
		return nil
	}
	if d == nil {
		d = &Decisions{}
	}
	lines := newLines(d.all)
	holds, unchecked := lines.hold(workloads, places, wanted)
	return &InForce{
		Policies: []Func{withoutRefresh(holds, wanted, prefix), keepHeld(holds), d.restart(workloads, prefix.Restart())},
		Holds:    holds, Unchecked: unchecked, Findings: d.unused(workloads, lines),
	}
}

// restart returns the policy that adds the stamps of restarts, under a key.
func (d *Decisions) restart(workloads []plan.Workload, key string) Func {
	asked := map[string]string{}
	for _, one := range d.all {
		if one.Class == lock.Restart {
			asked[one.Workload], _, _ = strings.Cut(one.Text, " ")
		}
	}
	return func(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
		if len(asked) == 0 {
			return wanted
		}
		for i, p := range places {
			if p.Workload < 0 || p.Excluded {
				continue
			}
			w := &workloads[p.Workload]
			if when := asked[WorkloadID(w.Kind, w.Namespace, w.Name)]; when != "" {
				wanted = append(wanted[:len(wanted):len(wanted)], plan.Wanted{Place: i, Key: key, Value: when,
					Reason: plan.Restart})
			}
		}
		return wanted
	}
}

// unused returns findings about decisions on workloads that are not there, or that get no stamps, and on objects that a
// workload does not read: one for each workload, and one for many of which the same holds.
func (d *Decisions) unused(workloads []plan.Workload, lines lines) []diag.Finding {
	if len(d.all) == 0 {
		return nil
	}
	stamped, renamed := make(map[string]bool, len(workloads)), map[consumption]bool{}
	for i := range workloads {
		w := &workloads[i]
		id := WorkloadID(w.Kind, w.Namespace, w.Name)
		stamped[id] = stamped[id] || w.Stamped
		for k := range w.References {
			if r := &w.References[k]; r.Renamed != "" {
				renamed[consumption{id, r.Kind + "/" + r.Name}] = true
			}
		}
	}
	var unused unusedLines
	for i := range d.all {
		one := &d.all[i]
		why, of := "", consumption{one.Workload, one.Object}
		isStamped, known := stamped[one.Workload]
		switch l := lines[of]; {
		case !known:
			why = isGone
		case !isStamped:
			why = "is not stamped"
		case one.Object == "" || l == nil:
		case l.uses == 0 && renamed[of]: // it has changed, and its name says so
		case l.uses == 0:
			why = "has no stamp of " + one.Object
		case one.Class == lock.Approved && !l.manual:
			why = "restarts without approval"
		}
		if why != "" {
			unused.add(one, why)
		}
	}
	return unused.findings()
}
