package diff

import (
	"maps"

	"github.com/rollstamp/rollstamp/splice"
)

// twice is what a side is rendered to by two renders of one and the same input.
type twice struct {
	first, second *inventory
	next          map[*object]*object // by those of the first whose names are different in each render: the second's
	counted       map[id]bool         // objects of which a render has more than another, by their names without digits
}

// twiceOf returns nil where a render of the side cannot differ from the next.
func twiceOf(a *App) (*twice, error) {
	if a == nil || a.Render == nil || a.result().Output.SecondRender == nil {
		return nil, nil
	}
	first, err := read(a.Name, splice.Edited{Text: a.result().Output.Text}, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	second, err := read(a.Name, splice.Edited{Text: a.result().Output.SecondRender}, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	t := &twice{first: index(first, ""), second: index(second, "")}
	one, other := t.first.without(t.second), t.second.without(t.first)
	t.next = pairAlike(one, other, isSameKind)
	t.counted = countedIn(one, other, t.next)
	return t, nil
}

// without returns the objects that another inventory does not have.
func (in *inventory) without(other *inventory) (out []*object) {
	for _, o := range in.all {
		if other.by[o.id()] == nil {
			out = append(out, o)
		}
	}
	return out
}

// renders is what two renders of one input hold at one place; both are nil where the second is like the first, or
// there is none.
type renders struct{ first, second any }

// of returns what the two renders hold of an object.
func (t *twice) of(o *object, m mask) (r renders) {
	if t == nil {
		return r
	}
	a, b := t.first.by[o.id()], t.second.by[o.id()]
	if b == nil {
		b = t.next[a]
	}
	if a == nil || b == nil || same(a, b) {
		return r
	}
	x, errA := a.content(m)
	y, errB := b.content(m)
	if errA != nil || errB != nil {
		return r
	}
	return renders{x.table, y.table}
}

// paths returns the places that differ.
func (r renders) paths() map[string]bool {
	if r.first == nil {
		return nil
	}
	paths := map[string]bool{}
	for _, f := range fields("", r.first, r.second) {
		paths[f.Path] = true
	}
	return paths
}

// stability is which differences of an application are those of any two renders. Either side may be nil.
type stability struct {
	old, now *twice
	asIs     bool // one side is a text, which may be that of a former render
}

func stabilityOf(old, now *App) (s stability, err error) {
	if s.old, err = twiceOf(old); err != nil {
		return s, err
	}
	s.asIs = old != nil && old.AsIs || now != nil && now.AsIs
	s.now, err = twiceOf(now)
	return s, err
}

// isKnown reports whether it is known of both sides what differs in each render, or of one whose former render the
// other may be.
func (s stability) isKnown() bool {
	return s.old != nil && s.now != nil || s.asIs && (s.old != nil || s.now != nil)
}

// isFormer reports whether the old side may be a former render of the new one.
func (s stability) isFormer() bool { return s.asIs && s.old == nil && s.now != nil }

// unstable returns the places of a pair that are different in each render. Keys of the old side whose names are get
// those of the new side; it returns the places of these, where nothing else differs, by themselves, too.
func (s stability) unstable(c *compared, m mask) (all, renamed map[string]bool) {
	if !s.isKnown() {
		return nil, nil
	}
	old, now := s.old.of(c.old, m), s.now.of(c.now, m)
	keys := randomKeys{stability: s}
	keys.rename("", c.from.table, c.to.table, old, now)
	for _, r := range keys.renamed {
		if v, ok := c.from.keys[r.from]; ok {
			delete(c.from.keys, r.from)
			c.from.keys[r.to] = v
		}
	}
	all = s.shared(old.paths(), now.paths())
	for _, path := range keys.named {
		delete(all, path)
	}
	if all != nil {
		maps.Copy(all, keys.unstable)
	}
	return all, keys.unstable
}

// random returns those of the changed keys of a pair whose values are different in each render of a side.
func (s stability) random(c *compared, m mask) (out map[string]bool) {
	if len(c.keys) == 0 || s.old == nil && s.now == nil {
		return nil
	}
	old, now := s.old.of(c.old, m).paths(), s.now.of(c.now, m).paths()
	for _, k := range c.keys {
		if holdsKey(old, k.Key) || holdsKey(now, k.Key) {
			if out == nil {
				out = map[string]bool{}
			}
			out[k.Key] = true
		}
	}
	return out
}

// shared returns the places that are unstable on both sides, or on the one of which that is known.
func (s stability) shared(old, now map[string]bool) map[string]bool {
	switch {
	case s.old == nil:
		return now
	case s.now == nil:
		return old
	}
	both := map[string]bool{}
	for path := range old {
		if now[path] {
			both[path] = true
		}
	}
	return both
}
