package splice

import (
	"strings"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/manifest"
)

// Tail is the place behind the last item of a list that is written as a block, or where such a list can begin. It
// outlives the document of the list.
type Tail struct {
	source source
	eol    string
	indent int    // of the dashes
	end    int    // of the lines of the last item
	key    string // of the list that begins there; "" where there is one
}

// TailOf returns the tail of the list at path below n. It reports false for a list that is none in a block, or where
// items behind the last one could not be in place: EditItems says why. A list that is not there has one where it would
// be an entry of n itself.
func TailOf(n manifest.Node, path []string) (Tail, bool) {
	if !n.Valid() || !n.Document().Fast() {
		return Tail{}, false
	}
	list := n.At(path...)
	switch {
	case !list.Valid():
		return beginOf(n, path)
	case !list.IsSeq() || list.IsFlow():
		return Tail{}, false
	}
	return tailOf(list)
}

// beginOf returns where a list that is not there begins in the mapping that it is to be an entry of.
func beginOf(n manifest.Node, path []string) (Tail, bool) {
	if len(path) != 1 || !n.IsMap() || n.IsFlow() {
		return Tail{}, false
	}
	p := &place{source: sourceOf(n), eol: "\n"}
	ok := p.inMap(n, surroundings{}, nil)
	return Tail{source: p.source, eol: p.eol, indent: p.indent + newIndent, end: p.at, key: path[0]}, ok
}

// tailOf returns the tail of a list in a block. It reports false where the last item takes in what follows.
func tailOf(list manifest.Node) (Tail, bool) {
	src, last := sourceOf(list), lastItem(list)
	return Tail{source: src, eol: src.lineBreak(list.Offset()), indent: src.column(list.Offset()), end: src.after(last)},
		!src.endsOpen(last)
}

// Append returns the edit that writes items behind the last one, which are as EditItems takes them.
func (t Tail) Append(items []any) ([]Edit, error) {
	v, err := toValue(items)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	return t.edits(v.items), nil
}

// AppendPairs returns what Append does for items of two keys with a string each, and costs less.
func (t Tail) AppendPairs(keys [2]string, pairs [][2]string) ([]Edit, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	if !areOneLine(keys, pairs) {
		items := make([]any, len(pairs))
		for i, p := range pairs {
			items[i] = Fields{{keys[0], p[0]}, {keys[1], p[1]}}
		}
		return t.Append(items)
	}
	margin := strings.Repeat(" ", t.indent)
	size := len(t.key) + len(t.eol) + len(margin)
	for _, p := range pairs {
		const signs = len("- : ''  : ''")
		size += len(keys[0]) + len(p[0]) + len(keys[1]) + len(p[1]) + signs + 2*(len(margin)+len(t.eol))
	}
	var b strings.Builder
	b.Grow(size)
	open := t.end == len(t.source.text) && t.source.noFinalBreak()
	if t.key != "" {
		b.WriteString(word(t.key, false))
		b.WriteByte(':')
	}
	for i, p := range pairs {
		if open || i > 0 || t.key != "" {
			b.WriteString(t.eol)
		}
		for k, dash := range [...]string{"- ", indentation} {
			if k > 0 {
				b.WriteString(t.eol)
			}
			for _, part := range [...]string{margin, dash, word(keys[k], false), ": ", word(p[k], false)} {
				b.WriteString(part)
			}
		}
	}
	if !open {
		b.WriteString(t.eol)
	}
	if t.key != "" {
		b.WriteString(margin[newIndent:]) // of the entry that was the first
	}
	return []Edit{{t.end, t.end, b.String()}}, nil
}

// areOneLine reports whether each text can be written in one line, and as a key.
func areOneLine(keys [2]string, pairs [][2]string) bool {
	if keys[0] == keys[1] {
		return false
	}
	for _, p := range append([][2]string{keys}, pairs...) {
		for _, s := range p {
			const long = 100
			if len(s) > long || s == "<<" || strings.Contains(s, "\n") || !utf8.ValidString(s) {
				return false
			}
		}
	}
	return true
}

func (t Tail) edits(values []value) []Edit {
	margin := strings.Repeat(" ", t.indent)
	if t.key != "" {
		list := field{t.key, value{kind: manifest.Other, items: values}}
		return []Edit{{t.end, t.end, t.source.lines(list.lines(), t.indent-newIndent, t.eol) + t.eol + margin[newIndent:]}}
	}
	if t.end == len(t.source.text) && t.source.noFinalBreak() {
		return []Edit{{t.end, t.end, t.eol + margin + t.source.lines(itemLines(values, true), t.indent, t.eol)}}
	}
	lines := itemLines(values, t.source.deeper(t.end, t.indent))
	return []Edit{{t.end, t.end, margin + t.source.lines(lines, t.indent, t.eol) + t.eol}}
}
