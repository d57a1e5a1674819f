package diff

import (
	"maps"
	"slices"
	"strconv"
)

// nameHandle identifies the items of a list by their names.
var nameHandle = []string{"name"}

// renameItems renames the items of a list of the old side as on the new one, where their names are different in each
// render.
func (k *randomKeys) renameItems(path string, from, to any, old, now renders) {
	a, b := itemsOf(from), itemsOf(to)
	if a == nil || b == nil {
		return
	}
	old, now = old.items(), now.items()
	x, y := old.keys(), now.keys()
	for _, all := range []onlyKeys{x, y} {
		for _, name := range all.names() {
			k.named = append(k.named, itemPath(path, name))
		}
	}
	for _, r := range k.pairs(withoutNames(a), withoutNames(b), x, y) {
		item := a[r.from]
		item["name"] = r.to
		delete(a, r.from)
		a[r.to] = item
		below := itemPath(path, r.to)
		k.add(itemPath(path, strconv.Itoa(placeOf(r.to, to))) + ".name")
		for varying := range k.shared(x.varying(r.from), y.varying(r.to)) {
			k.add(below + "." + varying)
		}
	}
	for name, item := range a {
		k.rename(itemPath(path, name), item, b[name], old.below(name), now.below(name))
	}
}

// placeOf returns the index of an item of that name.
func placeOf(name string, list any) int {
	items, _ := list.([]any)
	return slices.IndexFunc(items, func(item any) bool {
		table, _ := item.(map[string]any)
		return table["name"] == name
	})
}

func itemPath(path, name string) string { return path + "[" + name + "]" }

// itemsOf returns the items of a list by their names; nil where it is none, or not all have one of their own.
func itemsOf(list any) map[string]map[string]any {
	items, isList := list.([]any)
	named, ok := itemsBy(nameHandle, items)
	if !isList || !ok {
		return nil
	}
	out := make(map[string]map[string]any, len(items))
	for name, item := range named.items {
		out[name], _ = item.(map[string]any)
	}
	return out
}

// withoutNames returns what items hold besides their names.
func withoutNames(items map[string]map[string]any) map[string]any {
	out := make(map[string]any, len(items))
	for name, item := range items {
		rest := maps.Clone(item)
		delete(rest, "name")
		out[name] = rest
	}
	return out
}

// items returns what two renders hold of a list, by the names of its items.
func (r renders) items() renders {
	a, b := itemsOf(r.first), itemsOf(r.second)
	if a == nil || b == nil {
		return renders{}
	}
	return renders{withoutNames(a), withoutNames(b)}
}

// varying returns the places of an item under a name that is different in each render which are so, too; nil where that
// is not known.
func (o onlyKeys) varying(name string) map[string]bool {
	if !o.varies(name) {
		return nil
	}
	others := slices.Sorted(maps.Keys(o.second))
	next := mostAlike(name, others, nil)
	if next < 0 {
		return nil
	}
	return renders{o.first[name], o.second[others[next]]}.paths()
}
