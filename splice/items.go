package splice

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// ItemChange removes items of a list from an index on, and inserts others there. One that is removed and one that is
// inserted make a replacement: it is no edit where they are equal.
type ItemChange struct {
	At     int
	Remove int
	Insert []any // as Set takes them
}

// EditItems returns the edits that change the items of the list at path below n. A list that is missing, or null, is
// one without items, and is made. Where a list has items, or is written as brackets, removing what was inserted
// restores the text. The error is ErrNotInPlace, a *ShapeError, or about the change.
func EditItems(n manifest.Node, path []string, c ItemChange) ([]Edit, error) {
	list := n.At(path...)
	inserts, err := toValue(c.Insert)
	switch {
	case err != nil:
		return nil, err
	case c.At < 0 || c.Remove < 0 || c.At+c.Remove > list.Len():
		return nil, errors.New("change a list: it has fewer items")
	case !n.Valid() || !n.Document().Fast():
		return nil, ErrNotInPlace
	case list.Valid() && list.Type() != manifest.Null && !list.IsSeq():
		return nil, &ShapeError{slices.Clone(path), "a list"}
	case c.Remove == 0 && len(c.Insert) == 0:
		return nil, nil
	case !list.IsSeq():
		return setValue(n, path, inserts)
	case list.IsFlow():
		return newItems(n, path, list).flowEdits(c.At, c.Remove, inserts.items), nil
	case c.Remove == list.Len() && len(c.Insert) == 0:
		return emptyBlock(n, path, list)
	case c.Remove == 0 && c.At == list.Len():
		tail, ok := tailOf(list)
		if !ok {
			return nil, ErrNotInPlace
		}
		return tail.edits(inserts.items), nil
	}
	return newItems(n, path, list).blockEdits(c.At, c.Remove, inserts.items)
}

// TryAppend returns the error that AppendItems has where items go behind those of the list at path below n, and costs
// less.
func TryAppend(n manifest.Node, path []string) error {
	list := n.At(path...)
	switch {
	case !n.Valid() || !n.Document().Fast():
		return ErrNotInPlace
	case !list.IsSeq():
		_, err := AppendItems(n, path, []any{""})
		return err
	case !list.IsFlow() && sourceOf(list).endsOpen(lastItem(list)):
		return ErrNotInPlace
	}
	return nil
}

func lastItem(list manifest.Node) (last manifest.Node) {
	for item := range list.Items() {
		last = item
	}
	return last
}

// emptyBlock writes brackets instead of all items.
func emptyBlock(n manifest.Node, path []string, list manifest.Node) ([]Edit, error) {
	if len(path) > 0 {
		return setValue(n, path, value{kind: manifest.Other})
	}
	src := sourceOf(list)
	if src.isIndented(list.Offset()) && !list.SameAs(list.Document().Root()) {
		return nil, ErrNotInPlace // brackets below a key have to be indented more than dashes
	}
	return []Edit{{list.Offset(), src.lastLineEnd(list), "[]"}}, nil
}

// items is a list with where its items are written: in a block, from the dash to the next line.
type items struct {
	place
	nodes []manifest.Node
	spans []span
}

func newItems(n manifest.Node, path []string, list manifest.Node) *items {
	l := &items{place: place{source: sourceOf(list)}}
	l.at, l.eol, l.indent = list.Offset()+1, l.lineBreak(list.Offset()), l.column(list.Offset())
	dash := list.Offset()
	for item := range list.Items() {
		one := span{item.Offset(), item.End()}
		if !list.IsFlow() {
			if len(l.spans) > 0 {
				dash = l.dashFrom(dash)
			}
			one = span{dash, l.after(item)}
			dash = one.end
		}
		l.nodes, l.spans = append(l.nodes, item), append(l.spans, one)
	}
	parent, root := n.At(path[:max(len(path)-1, 0)]...), n.Document().Root()
	l.json = list.IsFlow() && (root.IsSeq() && root.IsFlow() || l.isJSON(root) || l.isJSON(parent) || l.isJSON(list))
	return l
}

// isJSON reports whether what is written in brackets begins with something in double quotes.
func (l *items) isJSON(n manifest.Node) bool {
	if !n.IsFlow() {
		return false
	}
	before := l.text[n.Offset():n.End()]
	rest := bytes.TrimLeft(before, "[{ \t\r\n")
	return len(rest) > 0 && rest[0] == '"'
}

// dashFrom returns the first character that is no space, on the first line from offset on that is neither blank nor a
// comment.
func (l *items) dashFrom(offset int) int {
	for {
		line := l.text[offset:l.lineEnd(offset)]
		rest := bytes.TrimLeft(line, " ")
		if len(rest) > 0 && rest[0] != '#' || l.lineAfter(offset) == len(l.text) {
			return offset + len(line) - len(rest)
		}
		offset = l.lineAfter(offset)
	}
}

// flowEdits changes items between brackets.
func (l *items) flowEdits(at, remove int, insert []value) (out []Edit) {
	both := min(remove, len(insert))
	for i, v := range insert[:both] {
		if !v.is(l.nodes[at+i]) {
			out = append(out, Edit{l.spans[at+i].start, l.spans[at+i].end, v.flow(l.json)})
		}
	}
	switch {
	case len(insert) > both:
		out = append(out, l.insertFlow(at+both, insert[both:]))
	case remove > both:
		out = append(out, l.removeFlowItems(at+both, at+remove))
	}
	return out
}

func (l *items) insertFlow(at int, values []value) Edit {
	first := l.at
	if len(l.spans) > 0 {
		first = l.spans[0].start
	}
	comma := l.comma(string(l.text[l.at:first]))
	var texts []string
	for _, v := range values {
		texts = append(texts, v.flow(l.json))
	}
	text := strings.Join(texts, comma)
	switch {
	case len(l.spans) == 0:
		return Edit{l.at, l.at, text}
	case at == 0:
		return Edit{first, first, text + comma}
	}
	end := l.spans[at-1].end
	return Edit{end, end, comma + text}
}

// removeFlowItems removes items from an index up to another, with a comma.
func (l *items) removeFlowItems(from, to int) Edit {
	switch {
	case from > 0:
		return Edit{l.spans[from-1].end, l.spans[to-1].end, ""}
	case to < len(l.spans):
		return Edit{l.spans[0].start, l.spans[to].start, ""}
	}
	return Edit{l.spans[0].start, l.afterComma(l.spans[to-1].end), ""}
}

// blockEdits changes items after dashes. Where the text ends with the last item, without a line break, that is replaced
// and those before it go: what removes it would take the line break of the one before.
func (l *items) blockEdits(at, remove int, insert []value) (out []Edit, err error) {
	both := min(remove, len(insert))
	last, gone := at+remove, remove-both
	replaced, removed := at, at+both
	if gone > 0 && both > 0 && last == len(l.spans) && l.spans[last-1].end == len(l.text) && l.noFinalBreak() {
		replaced, removed = at+gone, at
	}
	for i, v := range insert[:both] {
		if !v.is(l.nodes[replaced+i]) {
			out = append(out, l.replaceItem(replaced+i, v)...)
		}
	}
	var edits []Edit
	switch {
	case len(insert) > both:
		edits, err = l.insertItems(last, insert[both:])
	case gone > 0:
		edits, err = l.removeItems(removed, removed+gone)
	}
	return append(out, edits...), err
}

func (l *items) replaceItem(at int, v value) []Edit {
	head := l.spans[at].start + len("-")
	old := l.nodes[at]
	if v.kind == manifest.String && old.IsScalar() && old.Type() != manifest.Null {
		edits, _ := SetString(old, v.text) // of a scalar in a document that can be changed in place
		return edits
	}
	line, below := l.parts(head, old)
	openEnd := below.end == len(l.text) && l.noFinalBreak()
	if openEnd || l.deeper(below.end, l.indent) {
		v = v.withoutLiterals()
	}
	lines := v.item()
	return l.replaceParts(line, below, strings.TrimPrefix(lines[0], "-"), shift(lines[1:], l.indent), openEnd)
}

// insertItems inserts before the first item, or after the lines of the one before.
func (l *items) insertItems(at int, values []value) ([]Edit, error) {
	if at > 0 {
		return l.insertBehind(l.nodes[at-1], l.spans[at-1].end, values)
	}
	start, margin := l.spans[0].start, strings.Repeat(" ", l.indent)
	return []Edit{{start, start, l.lines(itemLines(values, false), l.indent, l.eol) + l.eol + margin}}, nil
}

// insertBehind inserts after the lines of an item, which end there.
func (l *items) insertBehind(item manifest.Node, end int, values []value) ([]Edit, error) {
	if l.endsOpen(item) {
		return nil, ErrNotInPlace
	}
	return Tail{source: l.source, eol: l.eol, indent: l.indent, end: end}.edits(values), nil
}

// itemLines returns the lines of items; plain ones have each string in one line.
func itemLines(values []value, plain bool) (lines []string) {
	for _, v := range values {
		if plain {
			v = v.withoutLiterals()
		}
		lines = v.appendItem(lines, "", "")
	}
	return lines
}

func (l *items) removeItems(from, to int) ([]Edit, error) {
	start, end := l.spans[from].start, l.spans[to-1].end
	if !l.isIndented(start) {
		if to == len(l.spans) || len(bytes.TrimLeft(l.text[end:l.spans[to].start], " ")) > 0 {
			return nil, ErrNotInPlace
		}
		return []Edit{{start, l.spans[to].start, ""}}, nil
	}
	var previous manifest.Node
	if from > 0 {
		previous = l.nodes[from-1]
	}
	return l.removeLines(span{l.lineStart(start), end}, l.indent, previous)
}
