package splice

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// Set returns the edits after which the value at path below n is v: nil, a bool, a string, a number, a []any, a
// map[string]any or Fields. A value that is there is replaced, whatever it is, and a missing one becomes the first of
// its mapping; missing mappings are made. Where the document says so already, there are no edits. The error is
// ErrNotInPlace, a *ShapeError, or about v.
func Set(n manifest.Node, path []string, v any) ([]Edit, error) {
	val, err := toValue(v)
	if err != nil {
		return nil, err
	}
	return setValue(n, path, val)
}

// Delete returns the edits that remove the entry at path below n, or none where there is none. A mapping that becomes
// empty stays, as {}. Where Set added an entry to a mapping with others, or to braces, Delete restores the text. The
// error is ErrNotInPlace or a *ShapeError.
func Delete(n manifest.Node, path []string) ([]Edit, error) {
	parent, depth, err := descend(n, path)
	if err != nil || depth < len(path)-1 || !parent.IsMap() {
		return nil, err
	}
	e, ok := entryOf(parent, path[depth])
	src := sourceOf(parent)
	switch {
	case !ok:
		return nil, nil
	case e.twice:
		return nil, ErrNotInPlace
	case parent.IsFlow():
		return []Edit{src.removeFromFlow(e.siblings, e.index)}, nil
	case parent.Len() > 1:
		return src.removeFromBlock(e)
	case depth > 0:
		return setValue(n, path[:depth], value{kind: manifest.Other, isMap: true})
	}
	return []Edit{{e.key.Offset(), src.lastLineEnd(e.value), "{}"}}, nil
}

// descend follows a path to the mapping, or the null, that its last key is or would be in, or to where it ends before.
func descend(n manifest.Node, path []string) (parent manifest.Node, depth int, err error) {
	if !n.Valid() || !n.Document().Fast() || len(path) == 0 {
		return n, 0, ErrNotInPlace
	}
	for {
		if !n.IsMap() {
			if n.Type() != manifest.Null {
				err = &ShapeError{slices.Clone(path[:depth]), "a mapping"}
			}
			return n, depth, err
		}
		if depth == len(path)-1 {
			return n, depth, nil
		}
		_, v := n.OwnEntry(path[depth])
		if !v.Valid() || v.Type() == manifest.Null {
			return n, depth, nil
		}
		n, depth = v, depth+1
	}
}

// entry is an entry of a mapping among its siblings.
type entry struct {
	key, value manifest.Node
	siblings   []span
	previous   manifest.Node // the value before
	next       manifest.Node // the key after it
	index      int
	twice      bool
}

// span is where an entry or item begins and ends.
type span struct{ start, end int }

func entryOf(n manifest.Node, key string) (e entry, ok bool) {
	var last manifest.Node
	for k, v := range n.Entries() {
		if ok && e.index == len(e.siblings)-1 {
			e.next = k
		}
		if k.Text() == key {
			e.twice = ok
			e.key, e.value, e.previous, e.next, e.index, ok = k, v, last, manifest.Node{}, len(e.siblings), true
		}
		e.siblings, last = append(e.siblings, span{k.Offset(), v.End()}), v
	}
	return e, ok
}

func setValue(n manifest.Node, path []string, v value) ([]Edit, error) {
	parent, depth, err := descend(n, path)
	if err != nil {
		return nil, err
	}
	k, old := parent.OwnEntry(path[depth])
	switch {
	case !old.Valid() || depth < len(path)-1:
		return insertValue(parent, k, old, path[depth:], v)
	case v.is(old):
		return nil, nil
	case parent.IsFlow() && old.Offset() == old.End():
		return nil, ErrNotInPlace // a key without a value between braces, where Delete would not restore it
	}
	src := sourceOf(k)
	switch lines := literal(v.text) && !parent.IsFlow() && !src.isBlockScalar(old); {
	case v.kind == manifest.String && old.IsScalar() && !lines:
		return SetString(old, v.text)
	case parent.IsFlow():
		return []Edit{{old.Offset(), old.End(), v.flow(src.text[k.Offset()] == '"')}}, nil
	}
	colon := k.End() + bytes.IndexByte(src.text[k.End():], ':')
	return src.replaceValue(colon+1, src.column(k.Offset()), old, v), nil
}

// insertValue adds a field to a mapping, or to the mapping that is made instead of a null below it.
func insertValue(parent, key, null manifest.Node, path []string, v value) ([]Edit, error) {
	p := &place{source: sourceOf(parent), eol: "\n"}
	last := len(path) - 1
	ok := false
	if null.Valid() {
		ok = p.inNull(parent, key, null, path[1:last])
	} else if parent.IsMap() {
		ok = p.inMap(parent, surroundings{}, path[:last])
	}
	if !ok {
		return nil, ErrNotInPlace
	}
	f := field{path[last], v}
	if first := parent.FirstKey(); p.form == inFlow && first.Valid() {
		blanks := string(p.text[p.at:first.Offset()])
		for _, key := range slices.Backward(p.missing) {
			f = field{key, value{kind: manifest.Other, isMap: true, fields: []field{f}}}
		}
		return []Edit{{first.Offset(), first.Offset(), f.flow(p.json) + p.comma(blanks)}}, nil
	}
	return []Edit{{p.at, p.at + p.replaces(), p.field(f)}}, nil
}

// comma returns what separates entries or items in brackets, the first of which follows these blanks.
func (p *place) comma(blanks string) string {
	if strings.Contains(blanks, "\n") {
		return "," + blanks
	}
	if p.json {
		return ","
	}
	return ", "
}

// replaceValue replaces a value in a block, of the key or dash at column that ends at head.
func (s source) replaceValue(head, column int, old manifest.Node, v value) []Edit {
	line, below := s.parts(head, old)
	openEnd := below.end == len(s.text) && s.noFinalBreak()
	if openEnd || s.deeper(below.end, column) {
		v = v.withoutLiterals()
	}
	inline, lines := v.block()
	margin := column
	if block := !old.IsFlow() && old.Len() > 0; block && inline == "" && lines != nil {
		margin = s.column(old.Offset()) - newIndent
		if margin+newIndent <= column && v.isMap {
			margin = column
		}
	}
	return s.replaceParts(line, below, onLine("", inline), shift(lines, margin), openEnd)
}

// replaceParts replaces what is on the line of a key or dash, and the lines below it.
func (s source) replaceParts(line, below span, inline string, lines []string, openEnd bool) []Edit {
	eol := s.lineBreak(line.start)
	text := ""
	for _, l := range lines {
		text += l + eol
	}
	if openEnd {
		if below.start == below.end && text != "" {
			text = eol + text
		}
		text = strings.TrimSuffix(text, eol)
		if text == "" && below.start < below.end {
			below.start = len(bytes.TrimSuffix(bytes.TrimSuffix(s.text[:below.start], []byte("\n")), []byte("\r")))
		}
	}
	edits := []Edit{{line.start, line.end, inline}, {below.start, below.end, text}}
	return slices.DeleteFunc(edits, func(e Edit) bool { return e.Text == string(s.text[e.Start:e.End]) })
}

// parts returns where the value after a key or dash is written: on the line of that, and on lines below it.
func (s source) parts(head int, n manifest.Node) (line, below span) {
	start, end := n.Offset(), n.End()
	after := s.after(n)
	switch {
	case bytes.IndexByte(s.text[head:start], '\n') >= 0:
		return span{head, head}, span{s.lineStart(start), after}
	case s.isBlockScalar(n):
		indicators := bytes.IndexAny(s.text[start:end], " \r\n")
		if indicators < 0 {
			indicators = end - start
		}
		blanks := len(s.text[s.lineAfter(start):end]) - len(bytes.TrimLeft(s.text[s.lineAfter(start):end], " \r\n"))
		last := s.contentEnd(start, end, s.column(min(s.lineAfter(start)+blanks, end)))
		return span{head, start + indicators}, span{s.lineAfter(start), s.lineAfter(last)}
	case n.IsScalar() || n.IsFlow():
		return span{head, end}, span{after, after}
	}
	return span{head, s.lineEnd(start)}, span{s.lineAfter(start), after}
}

// shift returns lines moved to the right, or to the left where columns is less than 0; empty ones stay empty.
func shift(lines []string, columns int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		switch {
		case line == "":
		case columns < 0:
			out[i] = line[-columns:]
		default:
			out[i] = strings.Repeat(" ", columns) + line
		}
	}
	return out
}

// lastLineEnd returns where the last line of a value ends, without its line break.
func (s source) lastLineEnd(n manifest.Node) int {
	after := s.after(n)
	return len(bytes.TrimSuffix(bytes.TrimSuffix(s.text[:after], []byte("\n")), []byte("\r")))
}

// removeFromFlow removes the entry or item of an index with one of the commas around it.
func (s source) removeFromFlow(siblings []span, index int) Edit {
	one := siblings[index]
	switch {
	case len(siblings) == 1:
		return Edit{one.start, s.afterComma(one.end), ""}
	case index == 0:
		return Edit{one.start, siblings[1].start, ""}
	}
	return Edit{siblings[index-1].end, one.end, ""}
}

// removeFromBlock removes an entry of a mapping with others.
func (s source) removeFromBlock(e entry) ([]Edit, error) {
	start, after := e.key.Offset(), s.after(e.value)
	if !s.isIndented(start) {
		if !e.next.Valid() || len(bytes.TrimLeft(s.text[after:e.next.Offset()], " ")) > 0 {
			return nil, ErrNotInPlace
		}
		return []Edit{{start, e.next.Offset(), ""}}, nil
	}
	return s.removeLines(span{s.lineStart(start), after}, s.column(start), e.previous)
}

// removeLines removes the lines of an entry or item that begins at column, after another or before one.
func (s source) removeLines(lines span, column int, previous manifest.Node) ([]Edit, error) {
	e := Edit{lines.start, lines.end, ""}
	switch {
	case !s.isBlockScalar(leaf(previous)):
		removeFinalBreak(s.text, &e)
	case s.deeper(lines.end, column):
		return nil, ErrNotInPlace // the block scalar would take a comment for its own
	}
	return []Edit{e}, nil
}
