package stamp

import (
	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/refs"
)

// addNamed adds the objects that other tools' annotations name to the references of their workloads: all of their keys
// count, and none of them has to be there. Now that everything is read, it is known which objects an expression fits.
func (r *reader) addNamed() {
	if r.tools == nil {
		return
	}
	names := compat.NewNames(r.in.index)
	targets := map[[2]string][]compat.Target{} // by kind and name of the workload
	for _, t := range r.tools.Targets(r.in.index) {
		id := [2]string{t.Kind, t.Name}
		targets[id] = append(targets[id], t)
	}
	for _, w := range r.in.workloads {
		for k := range w.templates {
			r.addNamedTo(&w.templates[k], w, names, targets[[2]string{w.kind, w.name}])
		}
	}
}

// addNamedTo is addNamed for a template of a workload, for which there are targets.
func (r *reader) addNamedTo(t *template, w *workload, names *compat.Names, targets []compat.Target) {
	before := len(t.references)
	for i := range targets {
		if w.namespace == targets[i].Namespace || w.namespace == "" || targets[i].Namespace == "" {
			t.references = append(t.references, referencesTo(w, targets[i].Named, names)...)
		}
	}
	for i := range t.rules {
		for _, n := range t.rules[i].Named {
			t.references = append(t.references, referencesTo(w, n, names)...)
		}
	}
	if len(t.references) > before {
		groupByObject(t.references)
	}
	for _, f := range t.rules.Compare(&compat.Template{Workload: w.String(), Namespace: w.namespace,
		References: t.references, Names: names}) {
		r.addAt(f, w.position)
	}
}

// referencesTo returns a reference to each object that an annotation of a workload names.
func referencesTo(w *workload, n compat.Named, names *compat.Names) (out []refs.Reference) {
	of := refs.Reference{Kind: n.Kind, Namespace: n.Namespace, Name: n.Name, Form: compat.FormNamed, All: true,
		Optional: true, Offset: n.Offset, NameOffset: n.Offset}
	if of.Namespace == w.namespace {
		of.Namespace = ""
	}
	if n.Match == nil {
		return []refs.Reference{of}
	}
	for _, o := range names.Find(n.Kind, w.namespace, n.Match) {
		of.Name = o.Name
		out = append(out, of)
	}
	return out
}
