package diff

import (
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
	if old == nil || now == nil || old.Result == nil || now.Result == nil || len(old.Context) == 0 ||
		now.Result.Output.ContextErr != nil {
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
	for _, out := range l.old.Result.Output.Context {
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
