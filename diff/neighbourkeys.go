package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// blocked reports workloads whose new pods cannot start because of what they require of other applications.
func (n neighbours) blocked(old, now *inventory) ([]Blocked, error) {
	lacking, err := n.lacking(old, now)
	return append(n.missing(now), lacking...), err
}

// lacking reports workloads whose new pods cannot start because what they require of another application has no such
// key, which is news. A key that goes from an object of both sides is reported with that.
func (n neighbours) lacking(old, now *inventory) (out []Blocked, err error) {
	for _, o := range now.all {
		if o.workload == nil {
			continue
		}
		before := old.by[o.id()]
		for i := range o.workload.References {
			r := &o.workload.References[i]
			if len(r.Required) == 0 || r.Source != objects.Absent || !starts(r) {
				continue
			}
			more, err := n.lackingOf(old, before, r)
			if err != nil {
				return nil, err
			}
			for i := range more {
				more[i].Name = o.Name
			}
			out = append(out, more...)
		}
	}
	return out, nil
}

// lackingOf reports the keys that a reference requires of another application, and that are not there.
func (n neighbours) lackingOf(old *inventory, before *object, r *plan.Reference) (out []Blocked, err error) {
	by, ok := n.now.Provider(n.index, r.Kind, r.Namespace, r.Name)
	if !ok || by.Doubtful != "" {
		return nil, nil
	}
	isThere := func(key string) bool { return !by.Keys.KnowsNot(key) }
	if by.Producer != "" {
		keys, err := n.after.keysOf(by, r)
		if err != nil {
			return nil, err
		}
		isThere = func(key string) bool { return !keys.lacks(key) }
	}
	for _, key := range slices.DeleteFunc(slices.Clone(r.Required), isThere) {
		reason, err := n.lack(old, before, r, by, key)
		if err != nil {
			return nil, err
		}
		if reason != "" {
			out = append(out, Blocked{Reason: reason, Object: r.Kind + " " + r.Name, Key: key})
		}
	}
	return out, nil
}

// lack returns what the lack of a key is called that a reference requires of a provider; "" where that is no news.
func (n neighbours) lack(
	old *inventory, before *object, r *plan.Reference, by fleet.Provider, key string,
) (Hindrance, error) {
	was := referenceTo(before, r)
	if own := old.find(r.Kind, r.Namespace, r.Name); own != nil {
		if was != nil && slices.Contains(was.Lacking, key) && !old.ranNone(before) {
			return "", nil
		}
		return hindrance(own, was, key), nil
	}
	earlier, isAsked := by, was != nil && slices.Contains(was.Required, key)
	if isAsked {
		provider, ok := n.old.Provider(n.index, r.Kind, r.Namespace, r.Name)
		if !ok || provider.Doubtful != "" {
			return "", nil // the cluster had it, and what it held is not known
		}
		earlier = provider
	}
	keys, err := n.before.keysOf(earlier, r)
	switch {
	case err != nil:
		return "", err
	case keys.names(key) && earlier.App == by.App:
		return "", nil // it goes from there
	case keys.names(key):
		return KeyGone, nil
	case isAsked && !old.ranNone(before):
		return "", nil // pods were started without it
	}
	return NoKey, nil
}

// keysOf returns the keys of what a provider renders, or what something of it produces; none where it is not there.
func (in inventories) keysOf(p fleet.Provider, r *plan.Reference) (keySet, error) {
	all, err := in.of(p.App)
	if err != nil {
		return keySet{}, err
	}
	o := all.find(r.Kind, r.Namespace, r.Name)
	if kind, name, ok := strings.Cut(p.Producer, " "); ok {
		namespace, name, ok := strings.Cut(name, "/")
		if !ok {
			namespace, name = "", namespace
		}
		o = all.anyGroup(kind, namespace, name)
	}
	if o == nil {
		return keySet{}, nil
	}
	return producedKeys(o, objects.Provided{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}), nil
}
