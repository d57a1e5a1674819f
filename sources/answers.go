package sources

import (
	"slices"
	"strings"
)

// Questions are references, each once, sorted by ID, as a resolver is asked for them. There may be tens of thousands:
// their IDs lie in one piece of memory.
type Questions struct {
	refs []Ref
	ids  []string
}

// NewQuestions takes references in any order.
func NewQuestions(refs []Ref) Questions {
	const usual = 64 // is what an ID has of bytes, or less
	var text strings.Builder
	text.Grow(usual * len(refs))
	ends := make([]int, len(refs))
	var buffer [256]byte
	for i := range refs {
		text.Write(refs[i].AppendID(buffer[:0]))
		ends[i] = text.Len()
	}
	from := 0
	ids := make([]string, len(refs))
	for i, end := range ends {
		ids[i], from = text.String()[from:end], end
	}
	for i := 1; i < len(ids); i++ {
		if ids[i-1] >= ids[i] {
			return distinct(refs, ids)
		}
	}
	return Questions{refs, ids}
}

// distinct puts references in order, and takes each once.
func distinct(refs []Ref, ids []string) Questions {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, k int) int { return strings.Compare(ids[i], ids[k]) })
	order = slices.CompactFunc(order, func(i, k int) bool { return ids[i] == ids[k] })
	q := Questions{make([]Ref, len(order)), make([]string, len(order))}
	for to, i := range order {
		q.refs[to], q.ids[to] = refs[i], ids[i]
	}
	return q
}

// Refs returns the references, each once, sorted by ID.
func (q Questions) Refs() []Ref { return q.refs }

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
		if i, found = slices.BinarySearch(a.questions.ids, ref.ID()); !found {
			return Answer{}
		}
	}
	at.next = i + 1
	return a.answers[i]
}
