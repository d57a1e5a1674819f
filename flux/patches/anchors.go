package patches

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/manifest"
)

// withoutAnchors returns a text in which everything is at the same offset, and anchors, aliases and merge keys of a
// document are written as plain words: what is at other places of it can be edited in place by that. It reports false
// where one of them cannot be found in the text. Many write "name: &app web" in Flux's objects.
func withoutAnchors(text []byte, d *manifest.Document) ([]byte, bool) {
	out := bytes.Clone(text)
	dec := yaml.NewDecoder(bytes.NewReader(text[d.Start:d.End]))
	var root yaml.Node
	if err := dec.Decode(&root); err != nil {
		return nil, errors.Is(err, io.EOF)
	}
	a := anchors{text: out[d.Start:d.End], lines: lineStarts(text[d.Start:d.End]), ok: true}
	a.walk(&root)
	return out, a.ok
}

// anchors replaces what the strict reader does not read.
type anchors struct {
	text  []byte
	lines []int
	ok    bool
}

func (a *anchors) walk(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		a.replace(n, "*"+n.Value, 'x', len("*"))
		return
	case n.Anchor != "":
		a.replace(n, "&"+n.Anchor, ' ', len("&"+n.Anchor))
	case n.Kind == yaml.ScalarNode && n.Tag == "!!merge":
		a.replace(n, "<<", 'x', len("<<"))
	}
	for _, inner := range n.Content {
		a.walk(inner)
	}
}

// replace writes a byte over the beginning of what is written at a node.
func (a *anchors) replace(n *yaml.Node, written string, with byte, length int) {
	at, ok := a.offset(n)
	if !ok || !bytes.HasPrefix(a.text[at:], []byte(written)) {
		a.ok = false
		return
	}
	for i := range length {
		a.text[at+i] = with
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
