package stamp

import (
	"bytes"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// places tells where in the input an offset of the text comes from.
type places struct {
	text    []byte
	origins []render.Origin
	lines   []int                       // how many lines end before each stride, as far as anybody has asked
	last    struct{ offset, lines int } // what was asked last: mostly it is asked for one place after the other
}

func newPlaces(text []byte, origins []render.Origin) *places {
	return &places{text: text, origins: origins}
}

func (p *places) at(offset int) diag.Position {
	i, _ := slices.BinarySearchFunc(p.origins, offset, func(o render.Origin, at int) int {
		if o.Offset <= at {
			return -1
		}
		return 1
	})
	if i == 0 {
		return diag.Position{Line: p.line(offset)}
	}
	o := p.origins[i-1]
	if o.Line == 0 {
		return diag.Position{File: o.File}
	}
	return diag.Position{File: o.File, Line: o.Line + p.line(offset) - p.line(o.Offset)}
}

// line counts from 1. An offset behind the end, as those of a document that is written anew can be, counts as the end.
func (p *places) line(offset int) int {
	offset = min(offset, len(p.text))
	if p.lines == nil {
		p.lines = append(p.lines, 0)
	}
	feed := []byte{'\n'}
	for n := len(p.lines); n <= offset/stride; n++ {
		p.lines = append(p.lines, p.lines[n-1]+bytes.Count(p.text[(n-1)*stride:n*stride], feed))
	}
	from, lines := offset/stride*stride, p.lines[offset/stride]
	if from < p.last.offset && p.last.offset <= offset {
		from, lines = p.last.offset, p.last.lines
	}
	lines += bytes.Count(p.text[from:offset], feed)
	p.last.offset, p.last.lines = offset, lines
	return 1 + lines
}

// move gives an error about a line of the text the position in its origin.
func (p *places) move(err error) error {
	var e *diag.Error
	if errors.As(err, &e) && e.Pos.File == "" && e.Pos.Line > 0 {
		moved := *e
		offset := 0
		for n := 1; n < e.Pos.Line && offset < len(p.text); n++ {
			i := bytes.IndexByte(p.text[offset:], '\n')
			if i < 0 {
				break
			}
			offset += i + 1
		}
		moved.Pos = p.at(offset)
		return &moved
	}
	return err
}

// Place gives errors about lines of a render the places in the files that out knows.
func Place(err error, out *render.Output) error {
	return diag.Each(err, newPlaces(out.Text, out.Origins).move)
}

// Placeless tells whether an error is about a line of a render of which nobody knows the file.
func Placeless(err error) bool {
	return slices.ContainsFunc(diag.Apart(err), func(one error) bool {
		var e *diag.Error
		return errors.As(one, &e) && e.Pos.File == "" && e.Pos.Line > 0
	})
}

// stride is how much text is gone through to count the lines to one place.
const stride = 32 << 10
