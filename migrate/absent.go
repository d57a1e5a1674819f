package migrate

import (
	"slices"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// isAbsent reports whether a reference is to a ConfigMap or Secret that its application does not have.
func isAbsent(r plan.Reference) bool {
	return r.Source == objects.Absent && (r.Kind == refs.ConfigMap || r.Kind == refs.Secret)
}

// source is what of the run brings an object that an application does not have.
type source struct {
	index    int // of the application
	producer string
}

// sourceOf returns the other application that renders, or may render, what one refers to, and whether there is one.
func (m *migration) sourceOf(a *application, r *plan.Reference) (source, bool) {
	if p, ok := m.neighbours.Provider(a.index, r.Kind, r.Namespace, r.Name); ok {
		return source{m.indexOf(p), p.Producer}, true
	}
	namespace := r.Namespace
	if m.members[a.index].IsStandIn(namespace) {
		namespace = ""
	}
	// Of what annotations alone name, neighbours know nothing.
	for _, p := range m.providedAs(r.Kind, r.Name) {
		isNear := namespace == "" || p.ComesInto(namespace) || p.Namespace == "" && !p.Anywhere
		if p.index != a.index && isNear && m.neighbours.MayShare(a.index, p.index) {
			return source{p.index, p.Producer}, true
		}
	}
	return source{}, false
}

// provided is an object that an application of the run renders, or has produced.
type provided struct {
	objects.Provided
	index int // of the application
}

// providedAs returns what is rendered under a name, in whatever namespace.
func (m *migration) providedAs(kind, called string) []provided {
	if m.provided == nil {
		m.provided = map[name][]provided{}
		for k, a := range m.apps {
			for _, p := range a.Result.Provided {
				id := name{kind: p.Kind, name: p.Name}
				m.provided[id] = append(m.provided[id], provided{p, k})
			}
		}
	}
	return m.provided[name{kind: kind, name: called}]
}

// indexOf returns where the application of a provider is among all.
func (m *migration) indexOf(p fleet.Provider) int {
	return slices.IndexFunc(m.apps, func(other *application) bool { return other.name == p.App })
}

// withOthers returns what an application renders with the other applications of the run, of which workloads read
// something, to look that up; nil for none. A tool in the cluster does not know applications.
func (m *migration) withOthers(a *application, workloads []plan.Workload) *render.Output {
	var with []int
	for i := range workloads {
		for k := range workloads[i].References {
			r := &workloads[i].References[k]
			if r.Source != objects.Absent {
				continue
			}
			if from, ok := m.sourceOf(a, r); ok && from.index >= 0 && !slices.Contains(with, from.index) {
				with = append(with, from.index)
			}
		}
	}
	if len(with) == 0 {
		return nil
	}
	others := make([]fleet.Rendered, len(with))
	for i, k := range with {
		others[i] = m.apps[k].Rendered
	}
	return a.Around(others)
}

// addAbsent adds the workloads that a tool restarts for what their application does not have. They are those of the
// application by itself; around has them with what others of the run render, and is nil where nothing of that is
// looked up.
func (m *migration) addAbsent(i int, a *application, t *Tool, workloads, around []plan.Workload) {
	if m.tools[i].absent == nil {
		return
	}
	t.isMaker = len(m.tools[i].makers) > 0
	inRun := map[name]*plan.Workload{}
	for k := range around {
		inRun[nameOf(&around[k])] = &around[k]
	}
	for k := range workloads {
		w := &workloads[k]
		list := &t.OnlyTool
		switch {
		case t.Name == reloader && compat.RunsAgain(w.Kind):
			list = &t.RunAgain
		case t.Name == reloader && !w.Stamped: // it is not to be stamped for anything
			continue
		}
		elsewhere, nowhere := m.absentOf(i, a, w, inRun[nameOf(w)])
		object := manifest.Describe(w.Kind, w.Namespace, w.Name)
		one := Workload{App: a.name, Object: a.hide(object), Place: a.place(w.Position, object)}
		if len(elsewhere) > 0 {
			one.For, one.Elsewhere = elsewhere, true
			*list = append(*list, one)
		}
		if len(nowhere) > 0 {
			one.For, one.Elsewhere, one.Unrendered = nowhere, false, true
			*list = append(*list, one)
		}
	}
}

// absentOf returns what a tool restarts a workload for that its application does not have: what others of the run
// render, each with its application, and what none does. Around is the workload with what others render, or nil.
func (m *migration) absentOf(i int, a *application, w, around *plan.Workload) (elsewhere, nowhere []string) {
	t := &m.tools[i]
	for k := range w.References {
		r := &w.References[k]
		if !isAbsent(*r) || !readByPods(r) || !t.absent(&a.uses[i].asked, w, r) {
			continue
		}
		what := a.hide(manifest.Describe(r.Kind, "", r.Name))
		from, isElsewhere := m.sourceOf(a, r)
		if found := referenceOf(around, r); found != nil && isElsewhere {
			if r = found; r.Source != objects.Absent && r.Digest == "" {
				continue
			}
		}
		switch {
		case r.Excluded:
		case !isElsewhere:
			nowhere = append(nowhere, what)
		case from.index >= 0 && t.mayMake(from.producer):
			elsewhere = append(elsewhere, what+" of "+m.apps[from.index].name)
		}
	}
	return elsewhere, nowhere
}

// readByPods reports whether something else than the pull of an image reads what a reference is to.
func readByPods(r *plan.Reference) bool {
	return slices.ContainsFunc(r.Forms, func(form string) bool { return refs.Form(form) != refs.FormPull })
}

// referenceOf returns a workload's reference to the same object; nil where it has none, or is nil.
func referenceOf(w *plan.Workload, r *plan.Reference) *plan.Reference {
	if w == nil {
		return nil
	}
	for k := range w.References {
		if o := &w.References[k]; o.Kind == r.Kind && o.Name == r.Name {
			return o
		}
	}
	return nil
}
