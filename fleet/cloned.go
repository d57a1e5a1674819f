package fleet

import (
	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// cloned returns the application by whose policy what the i-th one refers to is cloned from a namespace into which an
// application of the run brings an object of its name, and whether there is one.
func (n *Neighbours) cloned(i int, kind, namespace, name string) (found Provider, ok bool) {
	for _, l := range n.lists {
		if l.Kind != kind || namespace == l.Of.Namespace || !l.ComesInto(namespace) {
			continue
		}
		likeness := app.SameCluster
		if l.member != i {
			likeness = n.like(i, l.member)
		}
		of := objects.Original{Namespace: l.Of.Namespace, Name: name}
		from, exists := n.Original(i, kind, of)
		if likeness == app.OtherCluster || !exists {
			continue
		}
		one := Provider{App: n.members[l.member].name, Index: l.member, Of: of}
		if l.member == i { // what is missing is what it clones
			one.App, one.Index = from.App, from.Index
		}
		what := manifest.Describe(kind, of.Namespace, of.Name) + " of " + from.App
		switch {
		case l.Selected:
			one.Doubtful = " as a clone where a selector fits " + what
		case likeness == app.UnknownCluster || from.Doubtful != "":
			one.Doubtful = " as a clone of " + what + ", and whether that is in the same cluster and namespace is not known"
		default:
			return one, true
		}
		if !ok {
			found, ok = one, true
		}
	}
	return found, ok
}
