package diff

import (
	"slices"
	"strings"
)

// pattern is what names that are different in each render have in common: their parts between dashes, dots and the
// like, "" where these differ; none where the numbers of parts differ.
type pattern []string

// newPattern returns the pattern of one name in two renders.
func newPattern(first, second string) pattern {
	a, b := partsOf(first), partsOf(second)
	if len(a) != len(b) {
		return nil
	}
	for i := range a {
		if a[i] != b[i] {
			a[i] = ""
		}
	}
	return a
}

func partsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-._/", r) })
}

// matches reports whether a name may be that of a further render.
func (p pattern) matches(name string) bool {
	parts := partsOf(name)
	return p == nil || slices.EqualFunc(p, parts, func(one, part string) bool { return one == "" || one == part })
}

// alike returns how many bytes two names have in common at their beginnings and ends.
func alike(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < min(len(a), len(b))-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return n + m
}

// mostAlike returns the index of the name that is the most alike, of those that fit; -1 where none does. All fit where
// fits is nil.
func mostAlike(name string, names []string, fits func(string) bool) int {
	best := -1
	for i, other := range names {
		if (fits == nil || fits(other)) && (best < 0 || alike(name, other) > alike(name, names[best])) {
			best = i
		}
	}
	return best
}

// pairAlike pairs objects whose names are the most alike, by those of the first list.
func pairAlike(some, other []*object, fits func(a, b *object) bool) map[*object]*object {
	out, rest := map[*object]*object{}, slices.Clone(other)
	for _, a := range some {
		best := -1
		for i, b := range rest {
			if fits(a, b) && (best < 0 || alike(a.Name.Name, b.Name.Name) > alike(a.Name.Name, rest[best].Name.Name)) {
				best = i
			}
		}
		if best >= 0 {
			out[a] = rest[best]
			rest = slices.Delete(rest, best, best+1)
		}
	}
	return out
}

func isSameKind(a, b *object) bool {
	return a.Group == b.Group && a.Kind == b.Kind && a.Namespace == b.Namespace
}

// pattern returns that of an object whose name is different in each render; not ok where it is not.
func (t *twice) pattern(o *object) (p pattern, ok bool) {
	next := t.next[t.first.by[o.id()]]
	if next == nil {
		return nil, false
	}
	return newPattern(o.Name.Name, next.Name.Name), true
}

// withRandomNames pairs the objects that are on one side only because their names are different in each render.
func (m matched) withRandomNames(s stability) matched {
	if !s.isKnown() || len(m.removed) == 0 || len(m.added) == 0 {
		return m
	}
	pairs := pairAlike(s.now.random(m.added), s.old.random(m.removed), func(now, was *object) bool {
		return isSameKind(now, was) && s.now.maybe(now, was) && s.old.maybe(was, now)
	})
	out, found := m, map[*object]bool{}
	out.pairs = slices.Clone(m.pairs)
	for _, now := range m.added {
		if was := pairs[now]; was != nil {
			found[was], found[now] = true, true
			out.pairs = append(out.pairs, pair{was, now})
		}
	}
	isPaired := func(o *object) bool { return found[o] }
	out.removed = slices.DeleteFunc(slices.Clone(m.removed), isPaired)
	out.added = slices.DeleteFunc(slices.Clone(m.added), isPaired)
	return out
}

// countedIn returns the objects that only one of two renders has, but for those that are paired, by their names without
// digits.
func countedIn(one, other []*object, paired map[*object]*object) map[id]bool {
	known, out := map[*object]bool{}, map[id]bool{}
	for a, b := range paired {
		known[a], known[b] = true, true
	}
	for _, o := range slices.Concat(one, other) {
		if !known[o] {
			out[o.withoutDigits()] = true
		}
	}
	return out
}

// withoutDigits returns the identity of an object without the digits of its name.
func (o *object) withoutDigits() id {
	out := o.id()
	out.name = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, out.name)
	return out
}

// match pairs the objects of an application, and takes those of which each render has another number.
func (c *Comparison) match(old, now *inventory, move *Move, s stability) matched {
	m, counted := matchObjects(old, now, move).withRandomNames(s).withoutRandomCounts(s)
	for _, o := range counted {
		c.Unstable = append(c.Unstable, Unstable{Name: o.Name, Paths: []string{}})
	}
	return m
}

// withoutRandomCounts returns the same without the objects of which each render has another number, and these.
func (m matched) withoutRandomCounts(s stability) (out matched, dropped []*object) {
	isCounted := func(o *object) bool {
		if s.now != nil && s.now.counted[o.withoutDigits()] || s.old != nil && s.old.counted[o.withoutDigits()] {
			dropped = append(dropped, o)
			return true
		}
		return false
	}
	if !s.isKnown() {
		return m, nil
	}
	out = m
	out.removed = slices.DeleteFunc(slices.Clone(m.removed), isCounted)
	out.added = slices.DeleteFunc(slices.Clone(m.added), isCounted)
	return out, dropped
}

// random returns those of the objects whose names are different in each render; all where nothing is known of these.
func (t *twice) random(all []*object) (out []*object) {
	if t == nil {
		return all
	}
	for _, o := range all {
		if t.next[t.first.by[o.id()]] != nil {
			out = append(out, o)
		}
	}
	return out
}

// renamed returns the pairs whose objects have different names.
func (m matched) renamed() (out []pair) {
	for _, p := range m.pairs {
		if p.old.Name.Name != p.now.Name.Name {
			out = append(out, p)
		}
	}
	return out
}

// maybe reports whether another object may be one of these renders at a further one; true where nothing is known of
// the renders.
func (t *twice) maybe(o, other *object) bool {
	if t == nil {
		return true
	}
	p, ok := t.pattern(o)
	return ok && p.matches(other.Name.Name)
}
