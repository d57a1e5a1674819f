package render

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/splice"
)

// change is what became of an output: edits of another one's text, without what they wrote.
type change struct {
	from  *Output
	moves []move
}

// separator begins a document.
const separator = "---"

// move is an edit by which the text from an offset on is moved.
type move struct {
	start, end, by int
	lines          bool // the edit adds or removes lines
	document       bool // it inserts documents behind the one before
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
		document := e.Start == e.End && strings.HasPrefix(strings.TrimPrefix(e.Text, "\n"), separator)
		c.moves = append(c.moves, move{e.Start, e.End, by, lines, document})
	}
	out := *o
	out.change = c
	out.Text, out.Origins = splice.Bytes(o.Text, text), c.origins(o.Origins)
	if o.SecondRender != nil {
		out.SecondRender = splice.Bytes(o.SecondRender, second)
	}
	out.Findings = c.findings(out.Text, o.Findings)
	out.Hidden = c.hidden(o.Hidden)
	if o.derived != nil {
		out.derived = func() []Hidden { return c.hidden(o.derived()) }
	}
	if o.Locator != nil {
		out.Locator = movedLocator{o.Locator, c}
	}
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

// IsEmptied reports whether nothing is left of a text that held something: what it held is left out on purpose.
func (o *Output) IsEmptied() bool {
	for was := o; was.change != nil; {
		if was = was.change.from; len(bytes.TrimSpace(was.Text)) > 0 {
			return len(bytes.TrimSpace(o.Text)) == 0
		}
	}
	return false
}

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

func (o *Output) moved(origins []Origin) []Origin {
	if o.change == nil {
		return origins
	}
	return o.change.origins(o.change.from.moved(origins))
}

// origins returns origins in the text before where they are in the one after. What follows an edit in a file whose
// lines are known has an origin of its own, so that it keeps its line, and so has what was inserted: the line before,
// or, of a document, where the one before begins, which is what it is a copy of.
func (c *change) origins(before []Origin) []Origin {
	after, places := make([]Origin, 0, len(before)), NewPlaces(c.from.Text, before)
	for i, o := range before {
		end := len(c.from.Text) + 1
		if i+1 < len(before) {
			end = before[i+1].Offset
		}
		from := o.Offset
		o.Offset = c.offset(from)
		after = append(after, o)
		if o.Line > 0 {
			after = c.following(after, places, from, end)
		}
	}
	return after
}

// following returns origins, and behind the last of them, whose lines are known and which begins at an offset before,
// those of what was edited up to another one.
func (c *change) following(origins []Origin, before *Places, from, end int) []Origin {
	o := origins[len(origins)-1]
	first, _ := slices.BinarySearchFunc(c.moves, from, func(m move, at int) int { return cmp.Compare(m.start, at) })
	line, by := o.Line, 0
	if first > 0 {
		by = c.moves[first-1].by
	}
	for _, m := range c.moves[first:] {
		if m.end >= end {
			break
		}
		if m.lines {
			line += bytes.Count(c.from.Text[from:m.end], feed)
			from = m.end
			if m.start == m.end {
				origins = append(origins, Origin{Offset: m.start + by, File: o.File, ObjectLine: c.lineBefore(m, line, before)})
			}
			origins = append(origins, Origin{Offset: m.end + m.by, File: o.File, Line: line})
		}
		by = m.by
	}
	return origins
}

// lineBefore returns the line of a file that an insertion at a line of it comes from.
func (c *change) lineBefore(m move, line int, before *Places) int {
	if m.document {
		if at := before.At(c.documentBefore(m.start)); at.Line > 0 {
			return at.Line
		}
	}
	if line > 1 && c.from.Text[m.start-1] == '\n' {
		return line - 1
	}
	return line
}

// documentBefore returns where the document before an offset begins, behind its separator and comments.
func (c *change) documentBefore(end int) int {
	begin := 0
	if i := bytes.LastIndex(c.from.Text[:end], []byte("\n"+separator)); i >= 0 {
		begin = i + 1
	}
	for at := begin; at < end; {
		line := c.from.Text[at:end]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		text := bytes.TrimSpace(line)
		if len(text) > 0 && text[0] != '#' && !bytes.HasPrefix(line, []byte(separator)) {
			return at
		}
		at += len(line)
	}
	return begin
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

// hidden returns places of the text before where they are in the one after.
func (c *change) hidden(before []Hidden) []Hidden {
	after := slices.Clone(before)
	for i, h := range after {
		after[i].Offset = c.offset(h.Offset)
	}
	return after
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
