package splice

import "io"

// Edited is a text with edits, which are sorted and do not overlap.
type Edited struct {
	Text  []byte
	Edits []Edit
}

// HasChanges reports whether the edits change anything.
func (e Edited) HasChanges() bool { return len(e.Edits) > 0 }

// Size returns the length of the text with its edits.
func (e Edited) Size() int { return Size(e.Text, e.Edits) }

// Bytes returns the text with its edits.
func (e Edited) Bytes() []byte { return Bytes(e.Text, e.Edits) }

// WriteTo writes the text with its edits. An error is the writer's.
func (e Edited) WriteTo(w io.Writer) (int64, error) { return Apply(w, e.Text, e.Edits) }

// Part returns what text[start:end] becomes, as the function Part does.
func (e Edited) Part(start, end int) []byte { return Part(e.Text, e.Edits, start, end) }
