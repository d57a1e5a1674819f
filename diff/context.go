package diff

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// lookedUp is what the old side of an application had objects looked up in, where the new one looks there, too.
type lookedUp struct{ old *App }

// contextOf returns what both sides of an application have objects looked up in. Where the new side does not look in
// all of it, or could not, nothing is known of what it does not find: then it returns nil.
func contextOf(old, now *App) *lookedUp {
	if old == nil || now == nil || old.Render == nil || now.Render == nil || len(old.Context) == 0 ||
		now.result().Output.ContextErr != nil {
		return nil
	}
	if slices.ContainsFunc(old.Context, func(p config.NonEmpty) bool { return !slices.Contains(now.Context, p) }) {
		return nil
	}
	return &lookedUp{old}
}

// lost reports whether a reference was to an object of the context that is there no more, and does not stay in the
// cluster without its manifest.
func (l *lookedUp) lost(was, now *plan.Reference) bool {
	if l == nil || was == nil || now == nil || was.Source != objects.Context || now.Source != objects.Absent {
		return false
	}
	for _, out := range l.old.result().Output.Context {
		all, err := read(l.old.Name, splice.Edited{Text: out.Text}, nil, nil, nil)
		if err == nil && index(all, out.Namespace).keeps(now) {
			return false
		}
	}
	return true
}

// knows reports whether an application of the run rendered what a reference is to: then it is known there whether that
// is gone.
func (n neighbours) knows(r *plan.Reference) bool {
	_, ok := n.old.Provider(n.index, r.Kind, r.Namespace, r.Name)
	return ok
}

// aroundOf returns the applications of an application's context that have a ConfigMap or Secret.
func aroundOf(now *App) map[id]string {
	if now == nil || now.Render == nil {
		return nil
	}
	all := map[id]string{}
	for _, out := range now.result().Output.Context {
		in, err := read(now.Name, splice.Edited{Text: out.Text}, nil, nil, nil)
		if err != nil {
			continue // it was read before, for the stamps
		}
		for _, o := range in {
			if o.isConfig() {
				of := id{kind: o.Kind, namespace: cmp.Or(o.Namespace, out.Namespace), name: o.Name.Name}
				all[of] = cmp.Or(all[of], out.App)
			}
		}
	}
	return all
}

// appAround returns the application of a context that has what is referred to; "" where that is not known.
func appAround(all map[id]string, r *plan.Reference) string {
	of := id{kind: r.Kind, namespace: r.Namespace, name: r.Name}
	if name := all[of]; name != "" {
		return name
	}
	of.namespace = ""
	return all[of]
}
