package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// neighbours are the applications of both sides, with what they know of each other, and which of them is compared.
type neighbours struct {
	old, now *fleet.Neighbours
	names    []string
	index    int
	before   inventories // of the old side
	after    inventories
	failed   []FailedApp
	anyFails bool // some could not be rendered on the new side
	part     bool // there are others, which are compared elsewhere
	naming   func(o app.Object, file string) []string
	nameOf   func(folder string) string
}

// neighboursOf returns the applications of two sides in the order of their names.
func neighboursOf(names []string, old, now map[string]*App) neighbours {
	members := func(side map[string]*App) []*fleet.Member {
		out := make([]*fleet.Member, len(names))
		for i, name := range names {
			if a := side[name]; a != nil {
				out[i] = a.Member
			}
		}
		return out
	}
	out := neighbours{old: fleet.NewNeighbours(members(old)), now: fleet.NewNeighbours(members(now)), names: names,
		before: inventories{old, map[string]*inventory{}}, after: inventories{now, map[string]*inventory{}},
		failed: failedApps(names, old, now)}
	out.anyFails = slices.ContainsFunc(names, out.fails)
	return out
}

// at returns the neighbours as the application of an index sees them.
func (n neighbours) at(i int) neighbours {
	n.index = i
	return n
}

// appOf returns the application that what is referred to belongs to: the one that is compared, or another one that
// renders it.
func (n neighbours) appOf(r *plan.Reference) string {
	if p, ok := n.now.Provider(n.index, r.Kind, r.Namespace, r.Name); ok && p.Doubtful == "" {
		return p.App
	}
	return n.names[n.index]
}

// named returns the name of an application that a context names, by its folder for example; "" for none.
func (n neighbours) named(around string) string {
	if around == "" || n.nameOf == nil {
		return around
	}
	return cmp.Or(n.nameOf(around), around)
}

// readers returns the needs of other applications for something of a ConfigMap or Secret that has changed.
// Keys are those that have; nil for all.
func (n neighbours) readers(kind, namespace, name string, keys []KeyChange) (out []*fleet.Need) {
	for _, one := range n.now.Readers(n.index, kind, namespace, name) {
		isRead := func(k KeyChange) bool { return isAmong(one.Keys, k.Key) }
		if keys == nil || slices.ContainsFunc(keys, isRead) {
			out = append(out, one)
		}
	}
	return out
}

// quiet returns what restarts nothing of a change that workloads of other applications read.
func (n neighbours) quiet(d *delta, namespace string) (out []Quiet) {
	namespace = cmp.Or(d.now.Namespace, namespace)
	if d.now.isConfig() {
		if len(d.keys) == 0 {
			return nil
		}
		return n.quietFor(d, "", n.readers(d.now.Kind, namespace, d.now.Name.Name, d.keys))
	}
	if !slices.ContainsFunc(d.fields, func(f FieldChange) bool { return isContent(f.Path) }) {
		return nil
	}
	for _, p := range n.now.ProducedObjects(n.index, d.now.Kind, namespace, d.now.Name.Name) {
		out = append(out, n.quietFor(d, p.String(), n.readers(p.Kind, p.Namespace, p.Name, nil))...)
	}
	return out
}

// isAmong reports whether a key is among those that are read; nil is all.
func isAmong(read []string, key string) bool { return read == nil || slices.Contains(read, key) }

// withoutRead takes the keys that workloads of other applications read out of what is said to be read by nobody.
func (n neighbours) withoutRead(d *delta, namespace string, all []Quiet) []Quiet {
	if !slices.ContainsFunc(all, Quiet.isUnread) {
		return all
	}
	readers := n.readers(d.now.Kind, cmp.Or(d.now.Namespace, namespace), d.now.Name.Name, d.keys)
	if len(readers) == 0 {
		return all
	}
	return withoutKeys(all, func(_ Quiet, k KeyChange) bool {
		return slices.ContainsFunc(readers, func(one *fleet.Need) bool { return isAmong(one.Keys, k.Key) })
	})
}

// isValue reports whether an application of the run is rendered with what has changed.
func (n neighbours) isValue(d *delta, namespace string) bool {
	return n.now.IsValue(n.index, d.now.Kind, cmp.Or(d.now.Namespace, namespace), d.now.Name.Name)
}

// quietFor returns the change for each of its readers that no stamp restarts for it.
func (n neighbours) quietFor(d *delta, reads string, readers []*fleet.Need) (out []Quiet) {
	for _, one := range readers {
		if one.Unstamped {
			out = append(out, Quiet{Name: d.now.Name, Keys: d.keys, Reason: ReadElsewhere, Reads: reads,
				Reader: one.Workload.String(), ReaderApp: one.App, Context: n.now.ContextPath(n.index, one)})
		}
	}
	return out
}

// isContent reports whether a change at a path of a producer may change what it makes.
func isContent(path string) bool {
	return path != "metadata" && !strings.HasPrefix(path, "metadata.") && !strings.HasPrefix(path, "status.")
}

// missing reports workloads whose new pods cannot start: another application rendered what they require, and none does
// any more.
func (n neighbours) missing(now *inventory) (out []Blocked) {
	for _, o := range now.all {
		if o.workload == nil {
			continue
		}
		for i := range o.workload.References {
			r := &o.workload.References[i]
			if r.Optional || r.Source != objects.Absent || !starts(r) || objects.IsInEachNamespace(r.Kind, r.Name) {
				continue
			}
			was, before := n.old.Provider(n.index, r.Kind, r.Namespace, r.Name)
			producer, _, _ := strings.Cut(was.Producer, " ")
			if !before || was.Doubtful != "" || leavesSecrets(producer) || n.fails(was.App) {
				continue
			}
			is, still := n.now.Provider(n.index, r.Kind, r.Namespace, r.Name)
			if of := n.originalGone(is.Index, r.Kind, is.Of); still && of != "" {
				out = append(out, Blocked{Name: o.Name, Reason: Gone, Object: r.Kind + " " + r.Name, Of: of})
				continue
			}
			if in, err := n.before.of(was.App); err == nil && !still && !in.keeps(r) {
				of := ""
				if was.Of.Name != "" {
					of = n.originalGone(was.Index, r.Kind, was.Of)
				}
				out = append(out, Blocked{Name: o.Name, Reason: Gone, Object: r.Kind + " " + r.Name, Of: of})
			}
		}
	}
	return out
}

// edges returns the edges from changed configuration to its readers in other applications.
func (n neighbours) edges(d *delta, namespace string) (out []Edge) {
	if !d.now.isConfig() || len(d.keys) == 0 {
		return nil
	}
	for _, one := range n.readers(d.now.Kind, cmp.Or(d.now.Namespace, namespace), d.now.Name.Name, nil) {
		out = append(out, Edge{Config: d.now.Name, Workload: readerOf(one), Keys: one.Keys, Changed: true,
			Restarts: one.InContext})
	}
	return out
}
