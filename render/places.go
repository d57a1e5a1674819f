package render

import (
	"bytes"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
)

// Places reports where in an application's files that comes from which stands in a render.
type Places struct {
	text    []byte
	origins []Origin
	lines   []int                       // how many lines end before each stride, as far as anybody has asked
	last    struct{ offset, lines int } // what was asked last: mostly it is asked for one place after the other
}

// NewPlaces takes a render's text, and where it comes from.
func NewPlaces(text []byte, origins []Origin) *Places {
	return &Places{text: text, origins: origins}
}

// At returns the file and line that the text at an offset comes from; of an object whose lines may be in another order
// there, the line of its kind. Where the line in the file is not known, it is the render's; where nothing is known,
// only the render's line is.
func (p *Places) At(offset int) diag.Position {
	i, _ := slices.BinarySearchFunc(p.origins, offset, func(o Origin, at int) int {
		if o.Offset <= at {
			return -1
		}
		return 1
	})
	if i == 0 {
		return diag.Position{Line: p.line(offset)}
	}
	o := p.origins[i-1]
	switch {
	case o.File == "":
		return diag.Position{Line: p.line(offset)}
	case o.ObjectLine > 0:
		return diag.Position{File: o.File, Line: o.ObjectLine}
	case o.Line == 0:
		return diag.Position{File: o.File, RenderLine: p.line(offset)}
	}
	return diag.Position{File: o.File, Line: o.Line + p.line(offset) - p.line(o.Offset)}
}

// Line is At for a line of the render, which counts from 1.
func (p *Places) Line(n int) diag.Position { return p.At(p.offset(n)) }

// Move returns an error about a line of the render the position that the line comes from.
func (p *Places) Move(err error) error {
	var e *diag.Error
	if errors.As(err, &e) && e.Pos.OfRender() {
		moved := *e
		moved.Pos = p.Line(e.Pos.Line)
		return &moved
	}
	return err
}

// line counts from 1. An offset after the end, as those of a document that is written again can be, counts as the end.
func (p *Places) line(offset int) int {
	offset = min(offset, len(p.text))
	p.count(func() bool { return len(p.lines) > offset/stride })
	from, lines := offset/stride*stride, p.lines[offset/stride]
	if from < p.last.offset && p.last.offset <= offset {
		from, lines = p.last.offset, p.last.lines
	}
	lines += bytes.Count(p.text[from:offset], feed)
	p.last.offset, p.last.lines = offset, lines
	return 1 + lines
}

// offset returns where a line begins; the end, for one after it.
func (p *Places) offset(line int) int {
	before := line - 1 // lines that end before it
	p.count(func() bool { return p.lines[len(p.lines)-1] >= before })
	i, _ := slices.BinarySearch(p.lines, before) // the first stride before which so many end
	i = max(0, i-1)
	at := i * stride
	for n := before - p.lines[i]; n > 0; n-- {
		end := bytes.IndexByte(p.text[at:], '\n')
		if end < 0 {
			return len(p.text)
		}
		at += end + 1
	}
	return at
}

// count goes on through the text until that is enough.
func (p *Places) count(enough func() bool) {
	if p.lines == nil {
		p.lines = append(p.lines, 0)
	}
	for n := len(p.lines); n*stride <= len(p.text) && !enough(); n++ {
		p.lines = append(p.lines, p.lines[n-1]+bytes.Count(p.text[(n-1)*stride:n*stride], feed))
	}
}

var feed = []byte{'\n'}

// stride is how much text is gone through to count the lines to one place.
const stride = 32 << 10
