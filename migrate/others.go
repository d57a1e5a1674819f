package migrate

import (
	"slices"

	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// withOthers returns what an application renders with the other applications of the run, of which it reads something,
// to look that up; nil for none. A tool in the cluster does not know applications.
func (m *migration) withOthers(a *application) *render.Output {
	var with []*application
	for i := range a.Result.Plan.Workloads {
		for _, r := range a.Result.Plan.Workloads[i].References {
			if r.Source != objects.Absent {
				continue
			}
			if p, ok := m.neighbours.Provider(a.index, r.Kind, r.Namespace, r.Name); ok {
				at := slices.IndexFunc(m.apps, func(other *application) bool { return other.name == p.App })
				if at >= 0 && !slices.Contains(with, m.apps[at]) {
					with = append(with, m.apps[at])
				}
			}
		}
	}
	if len(with) == 0 {
		return nil
	}
	others := make([]fleet.Rendered, len(with))
	for i, other := range with {
		others[i] = other.Rendered
	}
	return a.Around(others)
}

// fromOthers returns those of the workloads that Reloader restarts for what the application itself does not find.
func (m *migration) fromOthers(a *application, all map[name]*plan.Workload) (out []Workload) {
	for i := range a.Result.Plan.Workloads {
		own := &a.Result.Plan.Workloads[i]
		theirs := all[nameOf(own)]
		if theirs == nil {
			continue
		}
		w := *theirs
		w.References = slices.DeleteFunc(slices.Clone(w.References), func(r plan.Reference) bool {
			return r.Digest == "" || !slices.ContainsFunc(own.References, func(o plan.Reference) bool {
				return o.Kind == r.Kind && o.Name == r.Name && o.Source == objects.Absent
			})
		})
		if len(w.References) > 0 {
			one := a.workload(&w)
			for k, r := range w.References {
				p, _ := m.neighbours.Provider(a.index, r.Kind, r.Namespace, r.Name)
				one.For[k] += " of " + p.App
			}
			one.Elsewhere = true
			out = append(out, one)
		}
	}
	return out
}
