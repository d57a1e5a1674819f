package diff

import "github.com/rollstamp/rollstamp/splice"

// twice is what a side is rendered to by two renders of one and the same input.
type twice struct{ first, second *inventory }

// twiceOf returns nil where a render of the side cannot differ from the next.
func twiceOf(a *App) (*twice, error) {
	if a == nil || a.Result == nil || a.Result.Output.SecondRender == nil {
		return nil, nil
	}
	first, err := read(a.Name, splice.Edited{Text: a.Result.Output.Text}, nil, nil)
	if err != nil {
		return nil, err
	}
	second, err := read(a.Name, splice.Edited{Text: a.Result.Output.SecondRender}, nil, nil)
	if err != nil {
		return nil, err
	}
	return &twice{index(first, ""), index(second, "")}, nil
}

// differing returns the places of an object that the next render has other values for. Named reports whether it has
// the object at all.
func (t *twice) differing(o *object, m mask) (paths map[string]bool, named bool) {
	a, b := t.first.by[o.id()], t.second.by[o.id()]
	if a == nil || b == nil {
		return nil, a == nil
	}
	if same(a, b) {
		return nil, true
	}
	x, errA := a.content(m)
	y, errB := b.content(m)
	if errA != nil || errB != nil {
		return nil, true
	}
	paths = map[string]bool{}
	for _, f := range fields("", x.table, y.table) {
		paths[f.Path] = true
	}
	return paths, true
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

// unstable returns the places of a pair that are different in each render.
func (s stability) unstable(p pair, m mask) map[string]bool {
	var old, now map[string]bool
	if s.old != nil {
		old, _ = s.old.differing(p.old, m)
	}
	if s.now != nil {
		now, _ = s.now.differing(p.now, m)
	}
	switch {
	case s.asIs && s.old == nil:
		return now
	case s.asIs && s.now == nil:
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

// nameless reports whether the name of an object that is on one side only is another in each render.
func (t *twice) nameless(o *object, m mask) bool {
	if t == nil {
		return false
	}
	_, named := t.differing(o, m)
	return !named
}

// withoutNameless takes objects out whose names are different in each render, and returns them.
func (s stability) withoutNameless(all matched, m mask) (rest matched, unstable []Unstable) {
	if s.old == nil || s.now == nil {
		return all, nil
	}
	rest.pairs, rest.moved = all.pairs, all.moved
	for _, o := range all.removed {
		if !s.old.nameless(o, m) {
			rest.removed = append(rest.removed, o)
		}
	}
	for _, o := range all.added {
		if s.now.nameless(o, m) {
			unstable = append(unstable, Unstable{Name: o.Name, Paths: []string{}})
		} else {
			rest.added = append(rest.added, o)
		}
	}
	return rest, unstable
}
