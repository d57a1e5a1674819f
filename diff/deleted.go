package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
)

// objects of the cluster that others do not live without.
const (
	space         = "Namespace"
	definition    = "CustomResourceDefinition"
	priorityClass = "PriorityClass"
	runtimeClass  = "RuntimeClass"
)

// needed are the kinds of such objects, with their groups.
var needed = [...]kindsOf{
	{"", []string{space}},
	{"apiextensions.k8s.io", []string{definition}},
	{"scheduling.k8s.io", []string{priorityClass}},
	{"node.k8s.io", []string{runtimeClass}},
	{"", []string{accounts}},
	{"", []string{claims}},
}

// isNeeded reports whether an object is one that others do not live without.
func isNeeded(n Name) bool {
	return slices.ContainsFunc(needed[:], func(k kindsOf) bool { return n.Group == k.group && n.Kind == k.kinds[0] })
}

// removals are the objects of a cluster that an application has no more and that others of its cluster may need.
type removals struct {
	old, now inventories
	names    []string // of the applications
	kinds    kindTable
}

// remove takes what becomes of objects that are gone from applications, and of what needs them.
func (c *Comparison) remove(r removals) error {
	if err := c.share(r); err != nil {
		return err
	}
	gone, err := r.blocked(c.Objects)
	c.Blocked = append(c.Blocked, gone...)
	return err
}

// blocked returns what goes with the objects that are removed, and the workloads whose new pods are refused without
// them. Where none of them is removed, no application is looked at.
func (r removals) blocked(changes []ObjectChange) (out []Blocked, err error) {
	for _, change := range changes {
		if change.Change != Removal || change.Stays != "" || !isNeeded(change.Name) || r.isOfRelease(change.Name) {
			continue
		}
		in, err := r.old.of(change.App)
		if err != nil {
			return nil, err
		}
		gone := in.by[id{change.Group, change.Kind, change.Namespace, change.Name.Name}]
		if gone == nil || gone.Kind == accounts && gone.Name.Name == defaultAccount {
			continue
		}
		around, err := r.around(change.App)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(around, func(in *inventory) bool { return in.by[gone.id()] != nil }) {
			continue // another application has it
		}
		for _, here := range around {
			if own, err := r.now.of(change.App); err == nil && here == own && isPodsNeed(gone) {
				continue // requiredGone looks there
			}
			found, err := r.dependents(gone, in.space, here)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	return out, nil
}

// isOfRelease reports whether a definition may come from the crds/ of a chart that Flux renders for a HelmRelease: Helm
// never removes it.
func (r removals) isOfRelease(n Name) bool {
	a := r.old.apps[n.App]
	return n.Kind == definition && a != nil &&
		slices.ContainsFunc(a.By, func(by string) bool { return strings.HasPrefix(by, "HelmRelease ") })
}

// around returns the objects on the new side of the application and of those that go to its cluster. A part of a
// comparison knows no other applications.
func (r removals) around(of string) (out []*inventory, err error) {
	was := r.old.apps[of]
	for _, name := range r.names {
		a := r.now.apps[name]
		if a == nil || a.Render == nil || name != of && !areNeighbours(a, was) {
			continue
		}
		in, err := r.now.of(name)
		if err != nil {
			return nil, err
		}
		out = append(out, in)
	}
	return out, nil
}

// areNeighbours reports whether two applications go to one cluster, as far as they may know of each other.
func areNeighbours(a, b *App) bool {
	return a.Member != nil && b.Member != nil && a.Destination.Like(b.Destination) == app.SameCluster
}

// isPodsNeed reports whether an object is one that pods of its namespace do not start without.
func isPodsNeed(o *object) bool { return o.Kind == accounts || o.Kind == claims }

// dependents returns what of an application depends on an object that is gone. Space is the namespace of the objects of
// its application that name none.
func (r removals) dependents(gone *object, space string, in *inventory) (out []Blocked, err error) {
	isDependent, reason, err := r.dependency(gone, space)
	if err != nil {
		return nil, err
	}
	for _, o := range in.all {
		is, err := isDependent(in, o)
		if err != nil {
			return nil, err
		}
		if is {
			out = append(out, Blocked{Name: o.Name, Reason: reason, Object: gone.Kind + " " + gone.Name.Name})
		}
	}
	return out, nil
}

// dependency returns what reports whether an object depends on one that is gone, and what becomes of it. OfNone is the
// namespace of one that names none.
func (r removals) dependency(gone *object, ofNone string) (func(*inventory, *object) (bool, error), Hindrance, error) {
	switch gone.Kind {
	case space:
		return func(in *inventory, o *object) (bool, error) {
			if isOfCluster(o) || cmp.Or(o.Namespace, in.space) != gone.Name.Name {
				return false, nil
			}
			return r.isMissed(o)
		}, Deleted, nil
	case definition:
		table, err := gone.table()
		spec := at(table, "spec")
		return func(_ *inventory, o *object) (bool, error) {
			return o.Group == spec["group"] && o.Kind == at(spec, "names")["kind"], nil
		}, Deleted, err
	}
	return func(in *inventory, o *object) (bool, error) {
		rows := rowsOf(r.kinds, o)
		isElsewhere := cmp.Or(o.Namespace, in.space) != cmp.Or(gone.Namespace, ofNone)
		if len(rows) == 0 || isPodsNeed(gone) && isElsewhere {
			return false, nil
		}
		table, err := o.table()
		return err == nil && requires(table, rows, gone), err
	}, Gone, nil
}

// isMissed reports whether pods or data are lost with an object: a workload, a claim, or what a controller runs.
func (r removals) isMissed(o *object) (bool, error) {
	rows := rowsOf(r.kinds, o)
	if len(rows) > 0 || o.Group == "" && o.Kind == claims || isRendered(o) && o.Group != sourceGroup {
		return true, nil
	}
	table, err := o.table()
	return err == nil && hasPods(o, rows, table), err
}
