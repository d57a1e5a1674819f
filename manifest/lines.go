package manifest

import "bytes"

// Lines says in which lines of a text offsets lie. It counts from one that it was asked to the next, so that all lines
// of a text, asked in their order, cost one pass.
type Lines struct {
	text []byte
	at   int // the offset that it was asked last
	line int // of that, from 1
}

// NewLines returns the lines of a text.
func NewLines(text []byte) *Lines { return &Lines{text: text, line: 1} }

// At returns the line that an offset lies in, from 1.
func (l *Lines) At(offset int) int {
	if offset < l.at {
		l.at, l.line = 0, 1
	}
	l.line += bytes.Count(l.text[l.at:offset], []byte("\n"))
	l.at = offset
	return l.line
}
