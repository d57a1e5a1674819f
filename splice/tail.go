package splice

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// Tail is the place behind the last item of a list that is written as a block. It outlives the document of the list.
type Tail struct {
	source source
	eol    string
	indent int // of the dashes
	end    int // of the lines of the last item
}

// TailOf returns the tail of the list at path below n. It reports false for a list that is none in a block, or where
// items behind the last one could not be in place: EditItems says why.
func TailOf(n manifest.Node, path []string) (Tail, bool) {
	list := n.At(path...)
	if !n.Valid() || !n.Document().Fast() || !list.IsSeq() || list.IsFlow() {
		return Tail{}, false
	}
	return tailOf(list)
}

// tailOf returns the tail of a list in a block. It reports false where the last item takes in what follows.
func tailOf(list manifest.Node) (Tail, bool) {
	src, last := sourceOf(list), lastItem(list)
	return Tail{src, src.lineBreak(list.Offset()), src.column(list.Offset()), src.after(last)}, !src.endsOpen(last)
}

// Append returns the edit that writes items behind the last one, which are as EditItems takes them.
func (t Tail) Append(items []any) ([]Edit, error) {
	v, err := toValue(items)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	return t.edits(v.items), nil
}

func (t Tail) edits(values []value) []Edit {
	margin := strings.Repeat(" ", t.indent)
	if t.end == len(t.source.text) && t.source.noFinalBreak() {
		return []Edit{{t.end, t.end, t.eol + margin + t.source.lines(itemLines(values, true), t.indent, t.eol)}}
	}
	lines := itemLines(values, t.source.deeper(t.end, t.indent))
	return []Edit{{t.end, t.end, margin + t.source.lines(lines, t.indent, t.eol) + t.eol}}
}
