package patches

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
)

// Read returns what a patch of ours sets in the object that its target is, by the kind and the expression for a name
// that the target has; nil where it is one of others.
func Read(patch, kind, name string, prefix hashing.Prefix) *Stamps {
	s, ours := read(patch, prefix)
	if !ours {
		s, ours = readOperations(patch, manifest.Node{}, prefix)
	}
	if !ours {
		return nil
	}
	s.Kind, s.Name = cmp.Or(s.Kind, kind), cmp.Or(nameOf(name), s.Name)
	return s
}

// IsFor reports whether a patch that was read is for an object of a kind, by the name that it has where patches are
// applied.
func (s *Stamps) IsFor(kind, name string) bool {
	return s.Kind == kind && (s.Name == name || strings.Contains(s.Name, "${") && mayBecome(s.Name, name))
}

// Keep has the object keep the stamps of which keep reports true: those that earlier patches set, of which the last
// counts, and else those that it had itself. Now is what it is to have for the key; "" for none.
func (s *Stamps) Keep(earlier []Stamps, keep func(key, had, now string) bool) {
	places := s.Places
	s.Places = slices.Clone(places)
	for _, p := range places {
		s.keepAt(Place{Path: p.Path, Set: p.Had}, keep)
	}
	for i := range earlier {
		e := &earlier[i]
		isOf := e.group() == s.group() && e.IsFor(s.Kind, s.Name) &&
			(e.Namespace == "" || e.Namespace == s.Namespace || e.Namespace == cmp.Or(s.namespace, defaultNamespace))
		for _, p := range e.Places {
			if isOf {
				s.keepAt(p, keep)
			}
		}
	}
}

// keepAt has the object keep what is to be kept of what was set at a place.
func (s *Stamps) keepAt(had Place, keep func(key, had, now string) bool) {
	at := slices.IndexFunc(s.Places, func(p Place) bool { return slices.Equal(p.Path, had.Path) })
	for _, a := range had.Set {
		if now := s.value(had.Path, a.Key); now == a.Value || !keep(a.Key, a.Value, now) {
			continue
		}
		if at < 0 {
			at = len(s.Places)
			s.Places = append(s.Places, Place{Path: had.Path, Remove: slices.Clone(had.Remove)})
		}
		p := &s.Places[at]
		p.Set = slices.DeleteFunc(slices.Clone(p.Set), func(b Annotation) bool { return b.Key == a.Key })
		p.Set = append(p.Set, a)
		slices.SortFunc(p.Set, func(a, b Annotation) int { return strings.Compare(a.Key, b.Key) })
	}
}
