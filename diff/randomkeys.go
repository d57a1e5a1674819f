package diff

import (
	"maps"
	"slices"
)

// randomKeys finds the keys of mappings, and the names of items of lists, that are different in each render.
type randomKeys struct {
	stability
	unstable map[string]bool // places on the new side, but for those whose values differ between the sides for good
	renamed  []keyRename
	named    []string // places whose names are different in each render
}

// keyRename is a key of the old side that is called otherwise on the new one.
type keyRename struct{ from, to string }

// rename renames the keys of the old side as on the new one, in all mappings and lists of a value.
func (k *randomKeys) rename(path string, from, to any, old, now renders) {
	if old.first == nil && now.first == nil {
		return
	}
	if _, isList := from.([]any); isList {
		k.renameItems(path, from, to, old, now)
		return
	}
	a, isMap := from.(map[string]any)
	b, areMaps := to.(map[string]any)
	if !isMap || !areMaps {
		return
	}
	x, y := old.keys(), now.keys()
	for _, name := range slices.Concat(x.names(), y.names()) {
		k.named = append(k.named, join(path, name))
	}
	for _, r := range k.pairs(a, b, x, y) {
		below, value := join(path, r.to), a[r.from]
		delete(a, r.from)
		a[r.to] = value
		k.renamed = append(k.renamed, r)
		if equal(value, b[r.to]) || x.varies(r.from) || y.varies(r.to) {
			k.add(below)
		}
	}
	for key, value := range a {
		k.rename(join(path, key), value, b[key], old.below(key), now.below(key))
	}
}

func (k *randomKeys) add(path string) {
	if k.unstable == nil {
		k.unstable = map[string]bool{}
	}
	k.unstable[path] = true
}

// pairs returns which keys of the old side are on the new one under other names: those of equal values first.
func (k *randomKeys) pairs(from, to map[string]any, old, now onlyKeys) (out []keyRename) {
	before, after := old.names(), now.names()
	switch {
	case k.stability.old == nil && now.is():
		before = now.fitting(missing(from, to))
	case k.stability.now == nil && old.is():
		after = old.fitting(missing(to, from))
	}
	before = slices.DeleteFunc(before, func(key string) bool { return !isOnlyIn(key, from, to) })
	after = slices.DeleteFunc(after, func(key string) bool { return !isOnlyIn(key, to, from) })
	for _, isEqual := range []bool{true, false} {
		after = slices.DeleteFunc(after, func(name string) bool {
			best := mostAlike(name, before, func(was string) bool { return !isEqual || equal(from[was], to[name]) })
			if best < 0 {
				return false
			}
			out = append(out, keyRename{before[best], name})
			before = slices.Delete(before, best, best+1)
			return true
		})
	}
	return out
}

func isOnlyIn(key string, table, other map[string]any) bool {
	_, has := table[key]
	_, known := other[key]
	return has && !known
}

// missing returns the keys of a mapping that another one does not have, sorted.
func missing(table, other map[string]any) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(table)), func(key string) bool {
		return !isOnlyIn(key, table, other)
	})
}

// onlyKeys are the keys of a mapping that only one of two renders has.
type onlyKeys struct{ first, second map[string]any }

// keys returns them; none where the mapping is in one of the renders only.
func (r renders) keys() (out onlyKeys) {
	a, isMap := r.first.(map[string]any)
	b, areMaps := r.second.(map[string]any)
	if !isMap || !areMaps {
		return out
	}
	only := func(table, other map[string]any) map[string]any {
		out := map[string]any{}
		for _, key := range missing(table, other) {
			out[key] = table[key]
		}
		return out
	}
	return onlyKeys{only(a, b), only(b, a)}
}

// below returns what the renders hold below a key that both have.
func (r renders) below(key string) renders {
	a, _ := r.first.(map[string]any)
	b, _ := r.second.(map[string]any)
	if a[key] == nil || b[key] == nil {
		return renders{}
	}
	return renders{a[key], b[key]}
}

// is reports whether names of keys are different in each render: one that is only left out is not.
func (o onlyKeys) is() bool { return len(o.first) > 0 && len(o.second) > 0 }

// names returns the keys of the first render whose names are different in each, sorted.
func (o onlyKeys) names() []string {
	if !o.is() {
		return nil
	}
	return slices.Sorted(maps.Keys(o.first))
}

// varies reports whether the value under a name that is different in each render is so, too.
func (o onlyKeys) varies(name string) bool {
	value, known := o.first[name]
	if !known {
		return false
	}
	for _, v := range o.second {
		if equal(value, v) {
			return false
		}
	}
	return true
}

// fitting returns the names that may be those of a further render.
func (o onlyKeys) fitting(names []string) []string {
	var patterns []pattern
	next := slices.Sorted(maps.Keys(o.second))
	for first := range o.first {
		patterns = append(patterns, newPattern(first, next[mostAlike(first, next, nil)]))
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(patterns, func(p pattern) bool { return p.matches(name) })
	})
}
