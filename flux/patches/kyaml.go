package patches

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// maxComments is how many signs of comments in a document are looked at one by one: each time all of it is read.
const maxComments = 100

// withoutKYAML returns a document all of which is within braces, as KYAML has it, in which everything is at the same
// offset, with blanks instead of the comments there, and with a word for each string of several lines: the strict
// reader reads neither of them. No patch of ours is such a string.
func withoutKYAML(document []byte) []byte {
	var have yaml.Node
	if yaml.Unmarshal(document, &have) != nil || !isFlow(&have) {
		return document
	}
	out := bytes.Clone(document)
	shorten(&anchors{text: out, lines: lineStarts(document), ok: true}, &have)
	saysTheSame := func(text []byte) bool {
		var other yaml.Node
		return yaml.Unmarshal(text, &other) == nil && sameNodes(&have, &other)
	}
	signs := commentSigns(out)
	all := bytes.Clone(out)
	for _, at := range signs {
		blank(all, at)
	}
	if saysTheSame(all) {
		return all
	}
	if len(signs) > maxComments {
		return document
	}
	for _, at := range signs {
		before := bytes.Clone(out)
		if blank(out, at); !saysTheSame(out) {
			out = before
		}
	}
	if !saysTheSame(out) {
		return document
	}
	return out
}

// word stands for a string of several lines.
const word = `""`

// shorten writes a word, and blanks up to the end, over each string in double quotes that has several lines, in the
// text and in the node.
func shorten(a *anchors, n *yaml.Node) {
	for _, inner := range n.Content {
		shorten(a, inner)
	}
	at, ok := a.offset(n)
	if n.Kind != yaml.ScalarNode || n.Style&yaml.DoubleQuotedStyle == 0 || !ok || a.text[at] != '"' {
		return
	}
	end := at + 1
	for ; end < len(a.text) && a.text[end] != '"'; end++ {
		if a.text[end] == '\\' {
			end++
		}
	}
	if end >= len(a.text) || !bytes.Contains(a.text[at:end], []byte("\n")) {
		return
	}
	if !bytes.HasPrefix(a.text[at+1:], []byte("\\")) { // there is no place for a word, and KYAML never has it so
		return
	}
	for i := at; i <= end; i++ {
		if a.text[i] != '\n' && a.text[i] != '\r' {
			a.text[i] = ' '
		}
	}
	copy(a.text[at:], word)
	n.Value = ""
}

func isFlow(n *yaml.Node) bool {
	return n.Kind == yaml.DocumentNode && len(n.Content) == 1 && n.Content[0].Style&yaml.FlowStyle != 0
}

// commentSigns returns the offsets of what may begin a comment.
func commentSigns(text []byte) (out []int) {
	for i, b := range text {
		if b == '#' && (i == 0 || bytes.IndexByte([]byte(" \t\r\n"), text[i-1]) >= 0) {
			out = append(out, i)
		}
	}
	return out
}

// blank writes blanks from an offset to the end of its line.
func blank(text []byte, at int) {
	for ; at < len(text) && text[at] != '\n' && text[at] != '\r'; at++ {
		text[at] = ' '
	}
}
