package diff

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// keysGone reports workloads of other applications whose new pods cannot start: a key that they require is in an object
// of the one that is compared no more. They have no positions yet.
func (n neighbours) keysGone(d *delta, namespace string) (out []Blocked) {
	space := cmp.Or(d.now.Namespace, namespace)
	if d.now.isConfig() {
		isGone := func(key string) bool { return slices.Contains(d.keys, KeyChange{Key: key, Change: Removal}) }
		return keysGoneFor(n.now.Readers(n.index, d.now.Kind, space, d.now.Name.Name), isGone)
	}
	for _, p := range n.now.ProducedObjects(n.index, d.now.Kind, space, d.now.Name.Name) {
		readers := n.now.Readers(n.index, p.Kind, p.Namespace, p.Name)
		if !slices.ContainsFunc(readers, func(one *fleet.Need) bool { return len(one.Required) > 0 }) {
			continue
		}
		before, now := producedKeys(d.old, p), producedKeys(d.now, p)
		out = append(out, keysGoneFor(readers, func(key string) bool { return before.names(key) && now.lacks(key) })...)
	}
	return out
}

// keysGoneFor reports the readers that require a key that is gone. What one has from its context is reported with it.
func keysGoneFor(readers []*fleet.Need, isGone func(key string) bool) (out []Blocked) {
	for _, one := range readers {
		for _, key := range one.Required {
			if isGone(key) && !one.InContext {
				out = append(out, Blocked{Name: readerOf(one), Reason: KeyGone, Object: one.Kind + " " + one.Name, Key: key})
			}
		}
	}
	return out
}

// readerOf returns the name of a workload that needs something of another application.
func readerOf(one *fleet.Need) Name {
	w := one.Workload
	return Name{App: one.App, Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}
}

// keySet are the keys of an object that is produced, as far as its producer names them.
type keySet struct {
	keys []string
	all  bool // they are all there are
}

func (s keySet) names(key string) bool { return slices.Contains(s.keys, key) }

func (s keySet) lacks(key string) bool { return s.all && !s.names(key) }

// producedKeys returns the keys of what an object produces, by its manifest alone.
func producedKeys(o *object, produced objects.Provided) (out keySet) {
	resolution, found := productOf(o, produced)
	if found == nil {
		return out
	}
	var content objects.Content
	resolution.Read(found, &content)
	written := objects.WrittenKeys(found.Producers())
	out.all, out.keys = !content.Has(objects.Anything) || written != nil, written
	for _, p := range content.Pairs {
		out.keys = append(out.keys, p.Key)
	}
	return out
}

// productOf returns what an object produces, by its manifest alone; nil where it is not known to produce it.
func productOf(o *object, produced objects.Provided) (*objects.Resolution, *objects.Object) {
	d, err := manifest.Parse(slices.Clone(o.text()))
	if err != nil {
		return nil, nil // it is reported where it is rendered
	}
	index := objects.NewIndex(objects.Options{Namespace: produced.Namespace, Level: config.MaxLevel})
	for one := range d.Objects() {
		if one.Kind == o.Kind && one.Name == o.Name.Name {
			index.Add(one, func() *manifest.Document { return d })
		}
	}
	found, _ := index.Find(produced.Kind, produced.Namespace, produced.Name)
	return objects.Resolve(index), found
}

// locate sets the positions of workloads of other applications than the one that was compared, as far as their
// application knows them.
func locate(blocked []Blocked, now inventories) error {
	for i := range blocked {
		b := &blocked[i]
		if b.File != "" || b.Line > 0 {
			continue
		}
		in, err := now.of(b.App)
		if err != nil {
			return err
		}
		if o := in.anyGroup(b.Kind, b.Namespace, b.Name.Name); o != nil {
			b.Name = o.Name
		}
	}
	return nil
}
