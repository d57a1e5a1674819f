package splice

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// Slot is the place of entries in a mapping: those that are there, and where new ones go.
type Slot struct {
	place    place
	around   surroundings
	existing []Existing
	empties  bool // the mapping holds nothing but existing entries
	flow     bool // it is written in braces
}

// Existing returns the claimed entries that are in the text.
func (s *Slot) Existing() []Existing { return s.existing }

// Offset returns where new text goes.
func (s *Slot) Offset() int { return s.place.at }

// Locate finds the slot in the mapping at path below n. Mappings that lack are made with the first entry. The claim is
// asked about each key that is in the mapping. The error is ErrNotInPlace or a *ShapeError.
func Locate(n manifest.Node, path []string, claim func(key string) Claim) (*Slot, error) {
	src := sourceOf(n)
	s := &Slot{place: place{source: src, eol: "\n"}, around: surroundings{source: src, outer: n.Len()}}
	var parent, key manifest.Node
	for depth := 0; ; depth++ {
		if n.IsAliased() {
			return nil, ErrNotInPlace
		}
		if !n.IsMap() {
			if n.Type() != manifest.Null {
				return nil, &ShapeError{slices.Clone(path[:depth]), "a mapping"}
			}
			return s.or(s.place.inNull(parent, key, n, path[depth:]))
		}
		if depth == len(path) {
			break
		}
		k, v := n.OwnEntry(path[depth])
		if !v.Valid() {
			if n.Get(path[depth]).Valid() {
				return nil, ErrNotInPlace // merged in: an entry of its own would hide it
			}
			return s.or(s.place.inMap(n, s.around, path[depth:]))
		}
		if !n.IsFlow() && !src.oneLine(k.Offset()) {
			return nil, ErrNotInPlace
		}
		s.around.enter(k, v, n.FirstKey().SameAs(k))
		parent, key, n = n, k, v
	}
	return s.or(s.place.inMap(n, s.around, nil) && s.find(n, claim))
}

func (s *Slot) or(ok bool) (*Slot, error) {
	if !ok {
		return nil, ErrNotInPlace
	}
	return s, nil
}

// find records the claimed entries of a mapping. It reports false for an owned one that is written in a way that cannot
// be cut out.
func (s *Slot) find(n manifest.Node, claim func(key string) Claim) bool {
	others := 0
	for k, v := range n.Entries() {
		key := k.Text()
		c := claim(key)
		if c == Foreign {
			others++
			continue
		}
		e := Existing{Key: key, Value: v.Text(), Claim: c, keyStart: k.Offset(), start: v.Offset()}
		scalar := v.IsScalar() && !v.IsAliased() && (v.Type() != manifest.Null || v.NullLen() > 0)
		switch {
		case scalar && e.bounds(s.place.text) && s.plainKey(k.Offset(), n.IsFlow()):
			s.existing = append(s.existing, e)
		case c == Owned:
			return false
		default:
			others++
		}
	}
	s.empties, s.flow = others == 0, n.IsFlow()
	return true
}

// plainKey reports whether nothing but indentation, or the brace or comma of a flow mapping, precedes a key: no "?", no
// anchor.
func (s *Slot) plainKey(offset int, flow bool) bool {
	src := s.place.source
	if !src.oneLine(offset) {
		return false
	}
	if !flow {
		return src.afterDashes(offset)
	}
	before := bytes.TrimRight(src.text[:offset], " \t\r\n")
	return len(before) > 0 && (before[len(before)-1] == '{' || before[len(before)-1] == ',')
}

// Insert returns the edit that adds entries, which are not there yet.
func (s *Slot) Insert(entries []Entry) Edit {
	at := s.place.at
	return Edit{at, at + s.place.replaces(), s.place.entries(entries)}
}

// Edits returns what turns the claimed entries of the text into those wanted, which are sorted by key. An existing
// entry that is not wanted is removed, unless keep reports true for its key; a nil keep keeps none.
func (s *Slot) Edits(wanted []Entry, keep func(key string) bool) []Edit {
	switch {
	case len(s.existing) > 0:
	case len(wanted) > 0:
		return []Edit{s.Insert(wanted)}
	default:
		return nil
	}
	var out []Edit
	var gone []Existing
	present := make([]bool, len(wanted))
	stays := 0
	for _, e := range s.existing {
		i, found := slices.BinarySearchFunc(wanted, e.Key,
			func(w Entry, key string) int { return strings.Compare(w.Key, key) })
		switch {
		case found && present[i]:
			gone = append(gone, e) // written twice
		case found:
			if wanted[i].Value != e.Value {
				out = append(out, Edit{e.start, e.end, e.inQuotes(wanted[i].Value)})
			}
			present[i] = true
			stays++
		case keep != nil && keep(e.Key):
			stays++
		default:
			gone = append(gone, e)
		}
	}
	fresh := make([]Entry, 0, len(wanted))
	for i, w := range wanted {
		if !present[i] {
			fresh = append(fresh, w)
		}
	}
	// A new entry takes the place of one that goes: then nothing around them moves.
	for len(gone) > 0 && len(fresh) > 0 {
		e := gone[0]
		out = append(out, Edit{e.keyStart, e.end, s.place.key(fresh[0].Key) + s.place.colon() + e.inQuotes(fresh[0].Value)})
		gone, fresh, stays = gone[1:], fresh[1:], stays+1
	}
	if len(fresh) > 0 {
		out = append(out, s.Insert(fresh))
	}
	if len(gone) == 0 {
		return out
	}
	empty := s.empties && stays == 0
	if s.flow {
		return append(out, s.around.removeFlowEntries(gone, empty)...)
	}
	return append(out, s.around.removeBlockEntries(gone, empty)...)
}
