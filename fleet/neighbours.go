package fleet

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Neighbours are the applications of a run, with what each knows of the others: which of them renders what another
// refers to. They serve reports. No stamp comes from them, because a plugin that renders one application has to write
// the same ones.
type Neighbours struct {
	members   []*Member
	lost      int                  // how many of them failed
	providers map[named][]provider // of what is needed, by its name
	needs     map[named][]need
	originals map[named]bool          // what tools copy
	lists     []provider              // what policies clone of a whole namespace
	likeness  map[[2]int]app.Likeness // of pairs that were asked for
}

// named is a ConfigMap or Secret in whatever namespace.
type named struct{ kind, name string }

// provider is an object that a member renders.
type provider struct {
	member int
	objects.Provided
}

// need is what a member needs.
type need struct {
	member int
	*Need
}

// NewNeighbours returns the applications of a run, by their indexes; nil for one that failed. They are for one
// goroutine.
func NewNeighbours(members []*Member) *Neighbours {
	n := &Neighbours{members: members, providers: map[named][]provider{}, needs: map[named][]need{},
		originals: map[named]bool{}, likeness: map[[2]int]app.Likeness{}}
	for i, m := range members {
		if m == nil {
			n.lost++
			continue
		}
		needs := m.needs()
		for k := range needs {
			key := named{needs[k].Kind, needs[k].Name}
			n.needs[key] = append(n.needs[key], need{i, &needs[k]})
		}
		for _, of := range m.originals() {
			n.originals[of] = true
		}
	}
	for i, m := range members {
		if m == nil || len(n.needs)+len(n.originals) == 0 {
			continue
		}
		for _, p := range m.provides() {
			if p.Name == "" {
				n.lists = append(n.lists, provider{i, p})
			} else if key := (named{p.Kind, p.Name}); n.needs[key] != nil || n.originals[key] {
				n.providers[key] = append(n.providers[key], provider{i, p})
			}
		}
	}
	return n
}

// AddLost adds an error to each application that fails by now, and of which others had to know what was in the cache
// and is gone. It is called when all is known that is to be reported.
func (n *Neighbours) AddLost(errs []error) {
	for i, m := range n.members {
		errs[i] = cmp.Or(errs[i], m.failure())
	}
}

// Provider is an application that renders what another one refers to.
type Provider struct {
	App      string
	Doubtful string // why that may be in another place, in words; "" where it is not
	Producer string // what produces it there, as messages name objects; "" for what is in the manifests
	Keys     objects.KeyNames
	Of       objects.Original // what a tool copies into it; zero for none

	Index int // of the application
}

// Provider returns the application that renders what the i-th one refers to in a namespace and does not render itself,
// and whether there is one. One of which there is no doubt comes first.
func (n *Neighbours) Provider(i int, kind, namespace, name string) (found Provider, ok bool) {
	isNeeded := func(one need) bool { return one.member == i && one.Namespace == namespace }
	if !slices.ContainsFunc(n.needs[named{kind, name}], isNeeded) {
		return Provider{}, false
	}
	for _, p := range n.providers[named{kind, name}] {
		m, likeness := n.members[p.member], n.like(i, p.member)
		one := Provider{App: m.name, Producer: p.Producer, Keys: p.Keys, Of: p.Of, Index: p.member}
		switch {
		case likeness == app.OtherCluster:
			continue
		case likeness == app.UnknownCluster:
			one.Doubtful = " for " + m.destination.String() + ", and whether that is the same cluster is not known"
		case p.Provided.ComesInto(namespace):
			return one, true
		case namespace == "" || p.Namespace == "":
			one.Doubtful = ", and whether it comes into the same namespace is not known"
		}
		if one.Doubtful != "" && (!ok || p.Provided.ComesInto(namespace)) && mayReach(p.Provided, namespace) {
			found, ok = one, true
		}
	}
	if !ok {
		return n.cloned(i, kind, namespace, name)
	}
	return found, ok
}

// Original returns the application that brings what tools copy into its namespace, in the cluster of the i-th one: that
// or another one, and whether there is one. Of an object whose cluster or namespace is not known, Doubtful says so.
func (n *Neighbours) Original(i int, kind string, of objects.Original) (found Provider, ok bool) {
	for _, p := range n.providers[named{kind, of.Name}] {
		likeness := app.SameCluster
		if p.member != i {
			likeness = n.like(i, p.member)
		}
		if likeness == app.OtherCluster || p.Anywhere || !mayReach(p.Provided, of.Namespace) {
			continue
		}
		found, ok = Provider{App: n.members[p.member].name, Producer: p.Producer, Index: p.member}, true
		if likeness == app.SameCluster && p.Provided.ComesInto(of.Namespace) {
			return found, true
		}
		found.Doubtful = ", and whether it is there is not known"
	}
	return found, ok
}

// Readers returns what workloads of other applications need that the i-th one renders, without doubt for their cluster
// and namespace.
func (n *Neighbours) Readers(i int, kind, namespace, name string) (out []*Need) {
	provided := objects.Provided{Kind: kind, Namespace: namespace, Name: name}
	for _, one := range n.needs[named{kind, name}] {
		if provided.ComesInto(one.Namespace) && n.like(one.member, i) == app.SameCluster {
			out = append(out, one.Need)
		}
	}
	return out
}

// MayShare reports whether two applications may go to one cluster.
func (n *Neighbours) MayShare(i, k int) bool { return n.like(i, k) != app.OtherCluster }

// IsValue reports whether an application of the run is rendered with an object of the i-th one.
func (n *Neighbours) IsValue(i int, kind, namespace, name string) bool {
	return n.members[i] != nil && n.members[i].valuesRead[Object{kind, namespace, name}.String()]
}

// ProducedObjects returns what an object of the i-th application produces.
func (n *Neighbours) ProducedObjects(i int, kind, namespace, name string) (out []objects.Provided) {
	if n.members[i] == nil || len(n.needs) == 0 {
		return nil
	}
	by := Object{kind, namespace, name}.String()
	for _, p := range n.members[i].provides() {
		if p.Producer == by {
			out = append(out, p)
		}
	}
	return out
}

// mayReach reports whether an object may be what a workload of a namespace refers to: one of the two is not known.
func mayReach(p objects.Provided, namespace string) bool {
	return p.ComesInto(namespace) || namespace == "" || p.Namespace == "" && !p.Anywhere
}

// like reports whether two applications go to one cluster. Of those at paths nothing says so: they are taken to, unless
// they render the same object, as overlays for different clusters do.
func (n *Neighbours) like(i, k int) app.Likeness {
	a, b := n.members[i], n.members[k]
	if i == k || a == nil || b == nil {
		return app.OtherCluster // what it renders itself it does not need
	}
	if a.destination.IsKnown() || b.destination.IsKnown() {
		return a.destination.Like(b.destination)
	}
	pair := [2]int{min(i, k), max(i, k)}
	likeness, known := n.likeness[pair]
	if !known {
		if likeness = a.destination.Like(b.destination); likeness == app.SameCluster && a.overlaps(b) {
			likeness = app.OtherCluster
		}
		n.likeness[pair] = likeness
	}
	return likeness
}
