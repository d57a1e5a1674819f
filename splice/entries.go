package splice

import (
	"slices"
	"strings"
)

// Insert returns the edit that adds entries, which are not there yet.
func (s *Slot) Insert(entries []Entry) Edit {
	at := s.place.at
	return Edit{at, at + s.place.replaced(), s.place.insertion(entries)}
}

// Edits returns what turns the claimed entries of the text into those wanted, which are sorted by key. An existing entry that is not
// wanted is removed, unless keep reports true for its key; a nil keep keeps none.
func (s *Slot) Edits(wanted []Entry, keep func(key string) bool) []Edit {
	var out []Edit
	var gone []Existing
	present := make([]bool, len(wanted))
	stays := 0
	for _, e := range s.existing {
		i, found := slices.BinarySearchFunc(wanted, e.Key, func(w Entry, key string) int { return strings.Compare(w.Key, key) })
		switch {
		case found && present[i]:
			gone = append(gone, e) // written twice
		case found:
			if wanted[i].Value != e.Value {
				out = append(out, Edit{e.start, e.end, e.quote + wanted[i].Value + e.quote})
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
		out = append(out, Edit{e.keyStart, e.end, s.place.key(fresh[0].Key) + s.place.colon() + e.quote + fresh[0].Value + e.quote})
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
