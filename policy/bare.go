package policy

import (
	"iter"
	"slices"

	"github.com/rollstamp/rollstamp/sources/lock"
)

// WorkloadName is what a workload is known by.
type WorkloadName struct{ Kind, Namespace, Name string }

func (w WorkloadName) id() string { return WorkloadID(w.Kind, w.Namespace, w.Name) }

func (w WorkloadName) withoutNamespace() WorkloadName { return WorkloadName{w.Kind, "", w.Name} }

// About returns the decisions as they are about the workloads of a text. Of two lines about the same, the one that
// names the namespace counts.
func (d *Decisions) About(workloads iter.Seq[WorkloadName]) *Decisions {
	if d == nil {
		return nil
	}
	meant := Meant(d.all, workloads)
	if slices.EqualFunc(meant, d.all, func(id string, one lock.Decision) bool { return id == one.Workload }) {
		return d
	}
	has := map[consumption]bool{}
	for i := range d.all {
		if meant[i] == d.all[i].Workload {
			has[consumption{meant[i], d.all[i].Object}] = true
		}
	}
	out := make([]lock.Decision, 0, len(d.all))
	for i, one := range d.all {
		if one.Workload != meant[i] && has[consumption{meant[i], one.Object}] {
			continue
		}
		one.Workload = meant[i]
		out = append(out, one)
	}
	return &Decisions{all: out}
}

// helmDefault is the namespace that Helm renders for where nobody names one.
const helmDefault = "default"

// Meant returns the workload of a text that each of some decisions is about, as decisions name it; else that which it
// names. A workload without a namespace, in the text or in a line, is the one of that name in one namespace alone: a
// chart prints none, and Argo CD, Flux or a flag brings one that the render of the line did not have. A chart that
// prints the namespace of its release prints Helm's default then, which stands for any in the same way.
func Meant(all []lock.Decision, workloads iter.Seq[WorkloadName]) []string {
	known, out := map[WorkloadName]bool{}, make([]string, len(all))
	for w := range workloads {
		known[w] = true
	}
	unknown := false
	for i := range all {
		out[i] = all[i].Workload
		unknown = unknown || !known[workloadName(&all[i])]
	}
	if !unknown { // nearly always
		return out
	}
	alone, decided := namespaces{}, namespaces{}
	for w := range known {
		alone.add(w)
	}
	for i := range all {
		decided.add(workloadName(&all[i]))
	}
	for i := range all {
		w := workloadName(&all[i])
		bare := w.withoutNamespace()
		switch namespace := alone[bare]; {
		case known[w]:
		case w.Namespace == "" && namespace != "", w.Namespace == helmDefault && namespace != "" && decided[bare] != "":
			out[i] = WorkloadName{w.Kind, namespace, w.Name}.id()
		case w.Namespace != "" && known[bare] && decided[bare] != "":
			out[i] = bare.id()
		case w.Namespace != "" && namespace == helmDefault && decided[bare] != "":
			out[i] = WorkloadName{w.Kind, namespace, w.Name}.id()
		}
	}
	return out
}

// namespaces are the namespaces of workloads, by the workload without it: "" where there are several, or one has none.
type namespaces map[WorkloadName]string

func (n namespaces) add(w WorkloadName) {
	namespace, id := w.Namespace, w.withoutNamespace()
	if other, is := n[id]; is && other != namespace {
		namespace = ""
	}
	n[id] = namespace
}

func workloadName(d *lock.Decision) WorkloadName {
	kind, namespace, name := SplitWorkloadID(d.Workload)
	return WorkloadName{kind, namespace, name}
}
