package diff

import (
	"slices"

	"github.com/rollstamp/rollstamp/manifest/generated"
)

// pair is one object on both sides.
type pair struct{ old, now *object }

// matched is which objects of an application are on both sides and not written alike, and which on one side only.
type matched struct {
	pairs          []pair
	moved          []pair // that lie in another place than before, however they are written
	removed, added []*object
}

// matchObjects pairs the objects of an application: by identity, and generated ones by their name without its hash.
func matchObjects(old, now *inventory, move *Move) matched {
	var m matched
	for _, o := range old.all {
		if other := now.by[o.id()]; other == nil {
			m.removed = append(m.removed, o)
		} else if move.takes(other) || !same(o, other) {
			m.pairs = append(m.pairs, pair{o, other})
		}
	}
	for _, o := range now.all {
		if old.by[o.id()] == nil {
			m.added = append(m.added, o)
		}
	}
	return m.byHandle(generatedID).apart(move)
}

// apart returns the same with the pairs that a move takes along by themselves.
func (m matched) apart(move *Move) matched {
	if move == nil {
		return m
	}
	all := m.pairs
	m.pairs = nil
	for _, p := range all {
		if move.takes(p.now) {
			m.moved = append(m.moved, p)
		} else {
			m.pairs = append(m.pairs, p)
		}
	}
	return m
}

// generatedID returns what a ConfigMap or Secret is whose name ends in a hash, without that.
func generatedID(o *object) (id, bool) {
	base, ok := generated.Base(o.Name.Name)
	if !ok || !o.isConfig() {
		return id{}, false
	}
	i := o.id()
	i.name = base
	return i, true
}

// byHandle pairs removed and added objects that have one handle, where it is the only one of each.
func (m matched) byHandle(handle func(*object) (id, bool)) matched {
	added, removed := map[id][]*object{}, map[id]int{}
	for _, o := range m.added {
		if h, ok := handle(o); ok {
			added[h] = append(added[h], o)
		}
	}
	for _, o := range m.removed {
		if h, ok := handle(o); ok {
			removed[h]++
		}
	}
	out := matched{pairs: m.pairs}
	found := map[*object]bool{}
	for _, o := range m.removed {
		h, ok := handle(o)
		if !ok || removed[h] != 1 || len(added[h]) != 1 {
			out.removed = append(out.removed, o)
			continue
		}
		found[added[h][0]] = true
		out.pairs = append(out.pairs, pair{o, added[h][0]})
	}
	out.added = slices.DeleteFunc(slices.Clone(m.added), func(o *object) bool { return found[o] })
	return out
}
