// Package manifest reads streams of Kubernetes documents and changes none of their bytes: where each document lies,
// what it is, and what its fields hold.
//
// Two readers return one answer. The strict reader takes the block and flow style that charts and kustomizations print,
// in one pass and without allocating for each node. What it does not fully understand (anchors, tags, unusual
// indentation) it declines, and the YAML library reads that document; a fuzz test holds the two together.
package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
)

// Document is one document of a stream. Offsets are into the text that Split or Parse was given.
type Document struct {
	// Start is the offset of the document's first byte: its "---" line where it has one.
	Start int
	// End is the offset after its last byte: the next separator, or the end of the text.
	End int

	text  []byte
	nodes []node
	slow  *library // set where the YAML library read the document
}

// Fast reports whether the strict reader read the document.
func (d *Document) Fast() bool { return d.slow == nil }

// HasOtherLineBreaks reports whether some line ends with neither LF nor CR LF but a lone CR, NEL, LS or PS, as YAML 1.1
// allows.
func (d *Document) HasOtherLineBreaks() bool { return d.slow != nil && d.slow.otherBreaks }

// Bytes returns the document's bytes, its "---" line included. They must not be changed.
func (d *Document) Bytes() []byte { return d.text[d.Start:d.End] }

// Body returns the document's bytes without a byte order mark and what stands before that.
func (d *Document) Body() []byte { return d.Bytes()[skipMark(d.Bytes()):] }

// Text returns the whole text that the document lies in. It must not be changed.
func (d *Document) Text() []byte { return d.text }

// Root returns the document's top node. It is not Valid where the document holds nothing but comments.
func (d *Document) Root() Node {
	if len(d.nodes) == 0 {
		return Node{}
	}
	return Node{d, 0}
}

// Clone returns a copy of d that stays valid when the Reader moves on to the next document.
func (d *Document) Clone() *Document {
	c := *d
	c.nodes = slices.Clone(d.nodes)
	return &c
}

// Reader goes through the documents of a text, one at a time, and reads each once.
type Reader struct {
	text  []byte
	next  int
	clean bool // the whole text is readable to the strict reader
	arena []node
	doc   Document
}

// NewReader begins to read text, which must not change while the Reader or any Document of it is in use.
func NewReader(text []byte) *Reader { return &Reader{text: text} }

// Documents reads a file up to its end or an error, which names the file. A document is valid until the next one; Clone
// makes a copy that lasts.
func Documents(text []byte, name string) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		for r := NewReader(text); ; {
			d, err := r.Next()
			var known *diag.Error
			if errors.As(err, &known) {
				known.Pos.File = name
				err = known
			}
			if err == nil && d == nil || !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// Next returns the next document, or nil at the end. The document is valid until the next call; Clone makes a copy that
// lasts. An error is a *diag.Error that carries the line in the text.
func (r *Reader) Next() (*Document, error) {
	if r.next >= len(r.text) {
		return nil, nil
	}
	if r.next == 0 {
		r.clean = readable(r.text)
	}
	start, body := r.next, begin(r.text, r.next)
	p := parser{s: r.text, p: body, end: len(r.text), nodes: r.arena[:0]}
	ok := r.clean && p.document(start)
	if !ok {
		// The strict reader cannot say where the document ends.
		_, _, p.end = split(r.text, start)
		p = parser{s: r.text, p: body, end: p.end, nodes: p.nodes[:0]}
		ok = !r.clean && readable(r.text[body:p.end]) && p.document(start)
	}
	r.arena, r.next = p.nodes, p.end
	r.doc = Document{Start: start, End: p.end, text: r.text, nodes: p.nodes}
	if ok {
		return &r.doc, nil
	}
	lib, nodes, err := readWithLibrary(r.text, start, p.end)
	if err != nil {
		return nil, err
	}
	r.doc.nodes, r.doc.slow = nodes, lib
	return &r.doc, nil
}

// Parse reads text as a single document.
func Parse(text []byte) (*Document, error) {
	r := NewReader(text)
	d, err := r.Next()
	if err != nil || d == nil {
		return &Document{End: len(text), text: text}, err
	}
	if r.next < len(text) {
		return nil, fmt.Errorf("parse document: the text holds more than one")
	}
	return d, nil
}

// separator reports whether a line that starts at i is a document marker of three c's: "---" or "...".
func separator(s []byte, i int, c byte) bool {
	if i+3 > len(s) || s[i] != c || s[i+1] != c || s[i+2] != c {
		return false
	}
	return i+3 == len(s) || s[i+3] == '\n' || s[i+3] == ' ' || s[i+3] == '\r' || s[i+3] == '\t'
}

// begin returns the offset after the byte order mark and the "---" with which a document at from begins.
func begin(s []byte, from int) (body int) {
	body = from
	if from == 0 && bytes.HasPrefix(s, bom) {
		body = len(bom)
	}
	if separator(s, body, '-') {
		body += 3
	}
	return body
}

// split finds the document that begins at from: its start, where its content begins (after the "---"), and its end.
func split(s []byte, from int) (start, body, end int) {
	start, body = from, begin(s, from)
	at := body // where to look for the next marker
	switch {
	case separator(s, body, '.'):
		return start, body, afterDots(s, body)
	case body == from && from > 0:
		at-- // the line feed before the first line
	}
	end = marker(s, at, "\n---")
	if directives(s[body:end]) && end < len(s) {
		// Directives belong to the document whose "---" follows them.
		end = marker(s, end+3, "\n---")
	}
	if dots := marker(s[:end], at, "\n..."); dots < end {
		return start, body, afterDots(s, dots)
	}
	return start, body, end
}

// afterDots returns the offset after the "..." line at i and those that follow it: they end the same document again.
func afterDots(s []byte, i int) int {
	for separator(s, i, '.') {
		i = nextLine(s, i)
	}
	return i
}

// marker returns the start of the next line that is a document marker, or the end of s. It looks from the line feed
// before the line.
func marker(s []byte, from int, mark string) int {
	for from < len(s) {
		i := bytes.Index(s[from:], []byte(mark))
		if i < 0 {
			break
		}
		from += i + 1
		if separator(s, from, mark[1]) {
			return from
		}
	}
	return len(s)
}

// directives reports whether s holds directives, and otherwise nothing but comments.
func directives(s []byte) bool {
	found := false
	for len(s) > 0 {
		n := nextLine(s, 0)
		if line := bytes.TrimSpace(s[:n]); len(line) > 0 && line[0] != '#' {
			if s[0] != '%' {
				return false
			}
			found = true
		}
		s = s[n:]
	}
	return found
}

var bom = []byte("\xef\xbb\xbf")

// nextLine returns the offset after the next line feed at or after i.
func nextLine(s []byte, i int) int {
	if n := bytes.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(s)
}

// lineOf counts the line that offset lies in, from 1.
func lineOf(s []byte, offset int) int { return 1 + bytes.Count(s[:offset], []byte{'\n'}) }

func invalid(s []byte, offset int, format string, args ...any) error {
	return diag.Input(diag.Position{Line: lineOf(s, offset)}, fmt.Errorf("parse YAML: "+format, args...), "")
}
