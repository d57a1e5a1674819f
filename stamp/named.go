package stamp

import (
	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// addNamed adds the objects that other tools' annotations name to the references of their workloads: all of their keys
// count, and none of them has to be there. Now that everything is read, it is known which objects an expression fits.
func (r *reader) addNamed() {
	if r.tools == nil {
		return
	}
	targets := r.tools.Targets(r.in.index)
	for _, w := range r.in.workloads {
		for k := range w.templates {
			t := &w.templates[k]
			before := len(t.references)
			for i := range targets {
				if isTarget(w, &targets[i]) {
					t.references = append(t.references, r.referencesTo(w, targets[i].Named)...)
				}
			}
			for i := range t.rules {
				for _, n := range t.rules[i].Named {
					t.references = append(t.references, r.referencesTo(w, n)...)
				}
			}
			if len(t.references) > before {
				groupByObject(t.references)
			}
			for _, f := range t.rules.Compare(&compat.Template{Workload: w.String(), Namespace: w.namespace,
				References: t.references, Index: r.in.index}) {
				r.addAt(f, w.position)
			}
		}
	}
}

// isTarget reports whether an object restarts a workload that it names.
func isTarget(w *workload, t *compat.Target) bool {
	return w.kind == t.Kind && w.name == t.Name &&
		(w.namespace == t.Namespace || w.namespace == "" || t.Namespace == "")
}

// referencesTo returns a reference to each object that an annotation of a workload names.
func (r *reader) referencesTo(w *workload, n compat.Named) (out []refs.Reference) {
	of := refs.Reference{Kind: n.Kind, Namespace: n.Namespace, Name: n.Name, Form: compat.FormNamed, All: true,
		Optional: true, Offset: n.Offset, NameOffset: n.Offset}
	if of.Namespace == w.namespace {
		of.Namespace = ""
	}
	if n.Match == nil {
		return []refs.Reference{of}
	}
	for o := range r.in.index.All() {
		if o.Kind == n.Kind && isIn(o, w.namespace) && n.Match.MatchString(o.Name) {
			of.Name = o.Name
			out = append(out, of)
		}
	}
	return out
}

// isIn reports whether an object may be in a namespace.
func isIn(o *objects.Object, namespace string) bool {
	return o.Namespace == namespace || o.Namespace == "" || namespace == ""
}
