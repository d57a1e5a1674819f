package rounds

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/files"
)

// covered is an object in a file that a Kustomization is likely to apply.
type covered struct {
	*member
	by *member
}

// cover leaves an object to the render of a Kustomization.
func (s *Source) cover(m, by *member) {
	isSame := func(c covered) bool { return isSamePlace(c.Pos, m.Pos) }
	if key := m.key(); !slices.ContainsFunc(s.covered[key], isSame) {
		s.covered[key] = append(s.covered[key], covered{m, by})
	}
}

// uncover takes back that an object is left to the render of a Kustomization.
func (s *Source) uncover(m *member) {
	s.covered[m.key()] = slices.DeleteFunc(s.covered[m.key()], func(c covered) bool { return c.member == m })
}

// covers returns for each member the Kustomization whose folder its file lies in. Where one would be applied by what it
// applies itself, as of a Kustomization of a folder far above whose own kustomization names little, what does not lead
// to a file is none of its Kustomizations.
func (s *Source) covers(all []*member, in *folders) map[*member]*member {
	for {
		above := map[*member]*member{}
		for _, m := range all {
			if by := coveredBy(m, in); by != nil {
				above[m] = by
			}
		}
		before := len(in.of)
		for _, m := range all {
			if isAbove(m, m, above) && !s.leadsTo(above[m], m, in) {
				in.drop(above[m])
			}
		}
		if len(in.of) == before {
			return above
		}
	}
}

// isAbove reports whether what covers a member, and so on, comes to top.
func isAbove(top, m *member, above map[*member]*member) bool {
	seen := map[*member]bool{}
	for at := above[m]; at != nil && !seen[at]; at = above[at] {
		if at == top {
			return true
		}
		seen[at] = true
	}
	return false
}

// leadsTo reports whether the folder of a Kustomization builds the file of a member, by what kustomizations say.
func (s *Source) leadsTo(by, m *member, in *folders) bool {
	dir, ok := in.of[by]
	if !ok {
		return true // it is none any more
	}
	w := walk{system: s.finder.system(), found: map[string]bool{}}
	w.build(by.kustomization, dir)
	return w.found[absolute(m.Pos.File)]
}

// addLeftOut looks at the objects in files that no render has, and reports whether there is more to render. Where what
// should apply one has failed, it is rendered as it is written; else Flux does not apply it, which is reported.
func (s *Source) addLeftOut() (more bool) {
	for _, key := range sortedKeys(s.covered) {
		all := s.covered[key]
		delete(s.covered, key)
		for _, c := range all {
			if s.inRender(c.member) != nil {
				continue
			}
			by := s.byKey[c.by.key()]
			if by == nil {
				by = s.inRender(c.by)
			}
			if by != nil && by.err == nil {
				by.reportLeftOut(c.String(), c.Pos)
				continue
			}
			c.unapplied = cmp.Or(by, c.by)
			if before := s.byKey[key]; before != nil && !isSamePlace(before.Pos, c.Pos) {
				s.addRepeated(c.member, before)
				continue
			}
			s.insert(c.member)
			more = true
		}
	}
	return more
}

// inRender returns the member that a render has of an object in a file, whose namespace or name a kustomization may
// have changed; nil where none has.
func (s *Source) inRender(m *member) *member {
	i := slices.IndexFunc(s.members, func(o *member) bool {
		isSame := strings.Contains(m.Name, "${") || o.Name == m.Name
		return o.parent != nil && o.Kind == m.Kind && isSame && o.Pos.File != "" &&
			files.FromHere(o.Pos.File) == files.FromHere(m.Pos.File)
	})
	if i < 0 {
		return nil
	}
	return s.members[i]
}
