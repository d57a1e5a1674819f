package sources

import (
	"slices"
	"strings"
)

// Answers is what a lock or stores say of references, of each once. There may be tens of thousands, so there is no map:
// they are sorted by ID, as they are asked for, and their IDs lie in one piece of memory.
type Answers struct {
	refs  []Ref
	ids   []string
	given []Answer
	next  int // behind the one that was looked up last
}

// NewAnswers takes references in any order.
func NewAnswers(refs []Ref) *Answers {
	const usual = 64 // is what an ID has of bytes, or less
	var text strings.Builder
	text.Grow(usual * len(refs))
	ends := make([]int, len(refs))
	var room [256]byte
	for i := range refs {
		text.Write(refs[i].AppendID(room[:0]))
		ends[i] = text.Len()
	}
	from := 0
	a := &Answers{refs: refs, ids: make([]string, len(refs))}
	for i, end := range ends {
		a.ids[i], from = text.String()[from:end], end
	}
	for i := 1; i < len(a.ids); i++ {
		if a.ids[i-1] >= a.ids[i] {
			a.sort()
			break
		}
	}
	return a
}

// sort puts the references in order, and keeps one of each.
func (a *Answers) sort() {
	order := make([]int, len(a.ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, k int) int { return strings.Compare(a.ids[i], a.ids[k]) })
	order = slices.CompactFunc(order, func(i, k int) bool { return a.ids[i] == a.ids[k] })
	refs, ids := make([]Ref, len(order)), make([]string, len(order))
	for to, i := range order {
		refs[to], ids[to] = a.refs[i], a.ids[i]
	}
	a.refs, a.ids = refs, ids
}

// Refs returns the references, each once, sorted by ID.
func (a *Answers) Refs() []Ref { return a.refs }

// Give takes the answers to Refs, in their order.
func (a *Answers) Give(given []Answer) { a.given = given }

// Of returns the answer for a reference, an empty one where nobody asked for it. What a manifest lists stands mostly
// side by side among the references, too, so the one behind the last is tried first.
func (a *Answers) Of(ref *Ref) Answer {
	i := a.next
	if i >= len(a.refs) || a.refs[i].Property != ref.Property || !a.refs[i].SameKey(ref) {
		var found bool
		if i, found = slices.BinarySearch(a.ids, ref.ID()); !found {
			return Answer{}
		}
	}
	a.next = i + 1
	return a.given[i]
}
