package diff

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
)

// share has what is gone from an application stay where another one of its cluster applies it, before as after. What a
// workload becomes that the other one has otherwise was not compared.
func (c *Comparison) share(r removals) error {
	holders, err := r.holders(c.Objects)
	if err != nil || len(holders) == 0 {
		return err
	}
	for i := range c.Objects {
		change := &c.Objects[i]
		gone, key, err := r.goneBy(*change)
		if err != nil {
			return err
		}
		if gone == nil {
			continue
		}
		by, old, now, err := r.holder(change.App, key, holders[key])
		if err != nil {
			return err
		}
		if now == nil || old == nil {
			continue
		}
		change.Stays = by + " applies it, too"
		alike, err := areAlike(gone, now)
		if err != nil {
			return err
		}
		if !alike {
			change.Stays += ", and it becomes what that has"
		}
		if !alike && len(rowsOf(r.kinds, now)) > 0 {
			c.Unknown = append(c.Unknown, Unknown{Reason: Moved, App: by, Object: &now.Name, Via: change.App})
		}
		c.withoutGone(gone, change.Stays)
	}
	return nil
}

// goneBy returns the object of a change that removes it, with what it is in its cluster; nil for any other change, and
// where its namespace is not known.
func (r removals) goneBy(change ObjectChange) (*object, id, error) {
	if change.Change != Removal || change.Stays != "" || !isClusterKnown(r.old.apps[change.App]) {
		return nil, id{}, nil
	}
	in, err := r.old.of(change.App)
	if err != nil {
		return nil, id{}, err
	}
	gone := in.by[id{change.Group, change.Kind, change.Namespace, change.Name.Name}]
	if gone == nil {
		return nil, id{}, nil
	}
	key, known := in.inCluster(gone)
	if !known {
		gone = nil
	}
	return gone, key, nil
}

// holders returns the applications of the new side that have objects which are gone from others.
func (r removals) holders(changes []ObjectChange) (map[id][]string, error) {
	out := map[id][]string{}
	for _, change := range changes {
		gone, key, err := r.goneBy(change)
		if err != nil {
			return nil, err
		}
		if gone != nil {
			out[key] = nil
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	for _, name := range r.names {
		if a := r.now.apps[name]; a == nil || a.Render == nil || !isClusterKnown(a) {
			continue
		}
		in, err := r.now.of(name)
		if err != nil {
			return nil, err
		}
		for _, o := range in.all {
			key, known := in.inCluster(o)
			if all, wanted := out[key]; known && wanted {
				out[key] = append(all, name)
			}
		}
	}
	return out, nil
}

// holder returns which of some applications applies an object in the cluster of another one, and the object on both
// sides; nil on one where it is not there.
func (r removals) holder(of string, key id, names []string) (by string, old, now *object, err error) {
	was := r.old.apps[of]
	i := slices.IndexFunc(names, func(name string) bool {
		return name != of && r.now.apps[name].Destination.Like(was.Destination) == app.SameCluster
	})
	if i < 0 {
		return "", nil, nil, nil
	}
	before, err := r.old.of(names[i])
	if err != nil {
		return "", nil, nil, err
	}
	after, err := r.now.of(names[i])
	return names[i], before.findInCluster(key), after.findInCluster(key), err
}

// isClusterKnown reports whether the cluster of an application is known, and its objects are those of a whole run.
func isClusterKnown(a *App) bool { return a != nil && a.Member != nil && a.Destination.Cluster() != "" }

// inCluster returns what an object is in its cluster, and whether that is known.
func (in *inventory) inCluster(o *object) (id, bool) {
	key := o.id()
	if isOfCluster(o) {
		key.namespace = ""
		return key, true
	}
	key.namespace = cmp.Or(key.namespace, in.space)
	return key, key.namespace != ""
}

// findInCluster returns the object that is this one in its cluster; nil for none.
func (in *inventory) findInCluster(key id) *object {
	if o := in.by[key]; o != nil || key.namespace != "" && key.namespace != in.space {
		return o
	}
	for _, namespace := range []string{"", in.space} {
		key.namespace = namespace
		if o := in.by[key]; o != nil {
			return o
		}
	}
	return nil
}

// areAlike reports whether two objects have the same content, whichever namespaces they name and whoever applies them.
func areAlike(a, b *object) (bool, error) {
	if same(a, b) {
		return true, nil
	}
	was, err := a.table()
	if err != nil {
		return false, err
	}
	is, err := b.table()
	for _, table := range []map[string]any{was, is} {
		meta := at(table, "metadata")
		delete(meta, "namespace")
		labels := at(meta, "labels")
		maps.DeleteFunc(labels, func(key string, _ any) bool { return strings.Contains(key, ".toolkit.fluxcd.io/") })
		if len(labels) == 0 {
			delete(meta, "labels")
		}
	}
	return reflect.DeepEqual(was, is), err
}

// withoutGone takes back of an object that stays in the cluster that it is gone, or removed with what it renders.
func (c *Comparison) withoutGone(o *object, stays string) {
	if isRendered(o) {
		c.Unknown = slices.DeleteFunc(c.Unknown, func(u Unknown) bool {
			return u.Reason == Elsewhere && u.Change == Removal && u.Via == "" && *u.Object == o.Name
		})
	}
	object := o.Kind + " " + o.Name.Name
	c.Blocked = slices.DeleteFunc(c.Blocked, func(b Blocked) bool {
		return b.Reason == Gone && b.Object == object && b.App == o.App && isSameSpace(b.Namespace, o.Namespace)
	})
	if !o.isConfig() {
		return
	}
	for i := range c.Restarts {
		r := &c.Restarts[i]
		for k := range r.Causes {
			cause := &r.Causes[k]
			if r.App == o.App && cause.Exists == Removal && cause.Object == object && isSameSpace(r.Namespace, o.Namespace) {
				cause.Why = stays
			}
		}
	}
}

// isSameSpace reports whether two namespaces are one, as far as they are written.
func isSameSpace(a, b string) bool { return a == b || a == "" || b == "" }
