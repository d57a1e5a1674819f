package render

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/splice"
)

// Hidden are the places in a document that show a value from elsewhere that is secret. They are hidden in whatever is
// shown of the document; the text itself has them.
type Hidden struct {
	Offset int // of the document in the text
	Places []HiddenPlace
	Values *redact.Values
	// Anywhere: the values may be in every document, in forms that are not recognized. Offset is 0 and Places are none.
	Anywhere  bool
	Decrypted bool // one of the values was decrypted
}

// HiddenPlace is a scalar, or the key of one, in a document.
type HiddenPlace struct {
	Path  []any // keys and indexes from the root: strings and ints
	Key   bool  // the last key of the path is meant
	Whole bool  // the values do not stand in it as they are, so that nothing of it is shown
}

// change is what became of an output: edits of another one's text, without what they wrote.
type change struct {
	from  *Output
	moves []move
}

// move is an edit by which the text from an offset on is moved.
type move struct {
	start, end, by int
	lines          bool // the edit adds or removes lines
}

// Edit returns the output with edits, which are sorted and do not overlap, in its text and second render. What is
// known of places in the text moves with them. Without any it returns the output that it got.
func (o *Output) Edit(text, second []splice.Edit) *Output {
	if len(text) == 0 && len(second) == 0 {
		return o
	}
	c := &change{from: o}
	by := 0
	for _, e := range text {
		by += len(e.Text) - (e.End - e.Start)
		lines := strings.Count(e.Text, "\n") != bytes.Count(o.Text[e.Start:e.End], feed)
		c.moves = append(c.moves, move{e.Start, e.End, by, lines})
	}
	out := *o
	out.change = c
	out.Text, out.Origins = splice.Bytes(o.Text, text), c.origins(o.Origins)
	if o.SecondRender != nil {
		out.SecondRender = splice.Bytes(o.SecondRender, second)
	}
	out.Findings = c.findings(out.Text, o.Findings)
	out.Hidden = slices.Clone(o.Hidden)
	for i, h := range out.Hidden {
		out.Hidden[i].Offset = c.offset(h.Offset)
	}
	if o.Locator != nil {
		out.Locator = movedLocator{o.Locator, c}
	}
	return &out
}

// WithHidden returns the output with further places that are hidden.
func (o *Output) WithHidden(more []Hidden) *Output {
	if len(more) == 0 {
		return o
	}
	out := *o
	out.Hidden = slices.Concat(o.Hidden, more)
	slices.SortStableFunc(out.Hidden, func(a, b Hidden) int { return cmp.Compare(a.Offset, b.Offset) })
	return &out
}

// Rendered returns what the engine returned, before anything was edited.
func (o *Output) Rendered() *Output {
	for o.change != nil {
		o = o.change.from
	}
	return o
}

// IsEdited reports whether the text is another one than the engine returned, or than came in.
func (o *Output) IsEdited() bool { return o.change != nil }

// Boundary returns where a place between two documents of what the engine returned, or of what came in, is now. What
// was inserted there belongs to the document before.
func (o *Output) Boundary(rendered int) int {
	if o.change == nil || rendered == 0 {
		return rendered
	}
	at, by := o.change.from.Boundary(rendered), 0
	for _, m := range o.change.moves {
		if m.end > at {
			break
		}
		by = m.by
	}
	return at + by
}

// WithOrigins returns the output with the origins of what the engine returned.
func (o *Output) WithOrigins(rendered []Origin) *Output {
	out := *o
	out.Origins = o.moved(rendered)
	return &out
}

// Embedded returns the values of Secrets that are in a document, by where it lies in the text; nil where there are
// none.
func (o *Output) Embedded(start, end int) *redact.Embedded {
	if len(o.Hidden) == 0 {
		return nil
	}
	var in redact.Embedded
	for i := 0; i < len(o.Hidden) && o.Hidden[i].Offset == 0; i++ {
		in.Anywhere = in.Anywhere || o.Hidden[i].Anywhere
	}
	first, _ := slices.BinarySearchFunc(o.Hidden, start, func(h Hidden, at int) int { return cmp.Compare(h.Offset, at) })
	for _, h := range o.Hidden[first:] {
		if h.Offset >= end {
			break
		}
		for _, p := range h.Places {
			in.Paths = append(in.Paths, p.Path)
		}
		in.Decrypted = in.Decrypted || h.Decrypted && len(h.Places) > 0
	}
	if !in.Anywhere && len(in.Paths) == 0 {
		return nil
	}
	return &in
}

// Secrets returns all values that are hidden in the output.
func (o *Output) Secrets() *redact.Values {
	var all *redact.Values
	for i, h := range o.Hidden {
		if i == 0 || h.Values != o.Hidden[i-1].Values {
			all = all.And(h.Values)
		}
	}
	return all
}

func (o *Output) moved(origins []Origin) []Origin {
	if o.change == nil {
		return origins
	}
	return o.change.origins(o.change.from.moved(origins))
}

// origins returns origins in the text before where they are in the one after. What follows an edit in a file whose
// lines are known has an origin of its own, so that it keeps its line.
func (c *change) origins(before []Origin) []Origin {
	after := make([]Origin, 0, len(before))
	for i, o := range before {
		from := o.Offset
		o.Offset = c.offset(from)
		after = append(after, o)
		if o.Line == 0 {
			continue
		}
		end := len(c.from.Text)
		if i+1 < len(before) {
			end = before[i+1].Offset
		}
		first, _ := slices.BinarySearchFunc(c.moves, from+1, func(m move, at int) int { return cmp.Compare(m.start, at) })
		for _, m := range c.moves[first:] {
			if m.end >= end {
				break
			}
			if m.lines {
				line := o.Line + bytes.Count(c.from.Text[from:m.end], feed)
				after = append(after, Origin{Offset: m.end + m.by, File: o.File, Line: line})
			}
		}
	}
	return after
}

// offset returns where what was at an offset is now. What was replaced begins where it began.
func (c *change) offset(before int) int {
	i, _ := slices.BinarySearchFunc(c.moves, before, func(m move, at int) int {
		if m.end <= at && m.start < at {
			return -1
		}
		return 1
	})
	if i == 0 {
		return before
	}
	return before + c.moves[i-1].by
}

// findings returns findings about lines of the text before with the lines of the one after.
func (c *change) findings(after []byte, before []diag.Finding) []diag.Finding {
	out := slices.Clone(before)
	for i, f := range out {
		if !f.Position().OfRender() {
			continue
		}
		offset := 0
		for line := 1; line < f.Line; line++ {
			n := bytes.IndexByte(c.from.Text[offset:], '\n')
			if n < 0 {
				break
			}
			offset += n + 1
		}
		offset = min(c.offset(offset), len(after))
		out[i] = f.At(diag.Position{Line: 1 + bytes.Count(after[:offset], []byte("\n"))})
	}
	return out
}

// movedLocator finds the origins of the text before the change.
type movedLocator struct {
	Locator
	change *change
}

// Origins is Locator's. The text is that after the change.
func (l movedLocator) Origins([]byte) []Origin {
	return l.change.origins(l.Locator.Origins(l.change.from.Text))
}
