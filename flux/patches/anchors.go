package patches

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// withoutAnchors returns a document in which everything is at the same offset, and anchors, tags, aliases and merge
// keys are written as plain words: what is at other places of it can be edited in place by that. It reports false
// where one of them cannot be found in the text. Many write "name: &app web" in Flux's objects, and tools "!!merge
// <<: *app".
func withoutAnchors(document []byte) ([]byte, bool) {
	out := bytes.Clone(document)
	dec := yaml.NewDecoder(bytes.NewReader(document))
	var root yaml.Node
	if err := dec.Decode(&root); err != nil {
		return nil, errors.Is(err, io.EOF)
	}
	a := anchors{text: out, lines: lineStarts(document), ok: true}
	a.walk(&root, ' ')
	return out, a.ok
}

// anchors replaces what the strict reader does not read.
type anchors struct {
	text  []byte
	lines []int
	ok    bool
}

// walk replaces them at a node and within. The anchor and tag of a key become a word, so that its indentation stays.
func (a *anchors) walk(n *yaml.Node, blank byte) {
	isMerge := n.Kind == yaml.ScalarNode && n.Tag == "!!merge"
	switch {
	case n.Kind == yaml.AliasNode:
		a.replaceAlias(n)
		return
	case isMerge || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0:
		a.replace(n, blank, isMerge)
	}
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			a.walk(inner, 'x')
		} else {
			a.walk(inner, ' ')
		}
	}
}

// replaceAlias makes a word of an alias.
func (a *anchors) replaceAlias(n *yaml.Node) {
	at, ok := a.offset(n)
	if !ok || !bytes.HasPrefix(a.text[at:], []byte("*"+n.Value)) {
		a.ok = false
		return
	}
	a.text[at] = 'x'
}

// replace writes over the anchor and the tag in front of a node, and over a merge key.
func (a *anchors) replace(n *yaml.Node, blank byte, isMerge bool) {
	at, ok := a.offset(n)
	begin := at
	for ok && at < len(a.text) && (a.text[at] == '&' || a.text[at] == '!') {
		end := bytes.IndexAny(a.text[at:], " \t\r\n,[]{}")
		if end < 0 {
			end = len(a.text) - at
		}
		a.fill(at, at+end, blank)
		at += end
		at += len(a.text[at:]) - len(bytes.TrimLeft(a.text[at:], " \t"))
	}
	switch {
	case !ok:
	case isMerge:
		if ok = bytes.HasPrefix(a.text[at:], []byte("<<")); ok {
			a.fill(at, at+len("<<"), 'x')
		}
	default:
		ok = at > begin
	}
	a.ok = a.ok && ok
}

func (a *anchors) fill(from, to int, with byte) {
	for i := from; i < to; i++ {
		a.text[i] = with
	}
}

// offset returns where a node begins, which the library counts in characters.
func (a *anchors) offset(n *yaml.Node) (int, bool) {
	if n.Line < 1 || n.Line > len(a.lines) {
		return 0, false
	}
	at := a.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(a.text[at:])
		if at += size; size == 0 || at >= len(a.text) {
			return 0, false
		}
	}
	return at, true
}

func lineStarts(text []byte) []int {
	out := []int{0}
	for i, b := range text {
		if b == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}
