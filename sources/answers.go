package sources

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// Questions are references, each once, sorted by ID, as a resolver is asked for them.
type Questions struct{ refs []Ref }

// NewQuestions takes references in any order. There may be tens of thousands, and mostly they are sorted already.
func NewQuestions(refs []Ref) Questions {
	var one, two [256]byte
	last, next := one[:0], two[:0]
	for i := range refs {
		next = refs[i].AppendID(next[:0])
		if i > 0 && bytes.Compare(last, next) >= 0 {
			return Questions{sortRefs(refs)}
		}
		last, next = next, last
	}
	return Questions{refs}
}

// sortRefs returns references in their order, each once.
func sortRefs(refs []Ref) []Ref {
	ids, order := make([]string, len(refs)), make([]int, len(refs))
	for i := range refs {
		ids[i], order[i] = refs[i].ID(), i
	}
	slices.SortFunc(order, func(i, k int) int { return strings.Compare(ids[i], ids[k]) })
	order = slices.CompactFunc(order, func(i, k int) bool { return ids[i] == ids[k] })
	out := make([]Ref, len(order))
	for to, i := range order {
		out[to] = refs[i]
	}
	return out
}

// Refs returns the references, each once, sorted by ID.
func (q Questions) Refs() []Ref { return q.refs }

// find returns where a reference is.
func (q Questions) find(ref *Ref) (i int, ok bool) {
	var wanted, other [256]byte
	id := ref.AppendID(wanted[:0])
	return sort.Find(len(q.refs), func(i int) int { return bytes.Compare(id, q.refs[i].AppendID(other[:0])) })
}

// Answers is what a lock or stores say of references. There is no map: it is as sorted as the questions are. Nothing
// changes it.
type Answers struct {
	questions Questions
	answers   []Answer
}

// NewAnswers takes the answers to questions, in their order.
func NewAnswers(questions Questions, answers []Answer) *Answers { return &Answers{questions, answers} }

// Cursor is where a caller of Answers.Of has come to. The zero value is at the first question.
type Cursor struct{ next int }

// Of returns the answer for a reference, an empty one where nobody asked for it, and moves the caller's cursor behind
// it. What a manifest lists stands mostly side by side among the questions, too, so the one at the cursor is tried
// first; where that is another one, it is searched for.
func (a *Answers) Of(ref *Ref, at *Cursor) Answer {
	i, refs := at.next, a.questions.refs
	if i >= len(refs) || refs[i].Property != ref.Property || !refs[i].SameKey(ref) {
		var found bool
		if i, found = a.questions.find(ref); !found {
			return Answer{}
		}
	}
	at.next = i + 1
	return a.answers[i]
}
