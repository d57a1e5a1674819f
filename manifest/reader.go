package manifest

import (
	"errors"
	"fmt"
	"iter"

	"github.com/rollstamp/rollstamp/diag"
)

// Reader goes through the documents of a text, one at a time, and reads each once.
type Reader struct {
	text    []byte
	next    int
	clean   bool // the whole text is readable to the strict reader
	checked bool // that is known
	arena   []node
	doc     Document
}

// NewReader begins to read text, which must not change while the Reader or any Document of it is in use.
func NewReader(text []byte) *Reader { return &Reader{text: text} }

// NewReaderBetween is NewReader for the documents between two places where one begins or the text ends. Their offsets
// are those in the whole text.
func NewReaderBetween(text []byte, start, end int) *Reader {
	return &Reader{text: text[:end], next: start}
}

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
	if !r.checked {
		r.clean, r.checked = readable(r.text[r.next:]), true
	}
	start, body := r.next, begin(r.text, r.next)
	p := parser{s: r.text, p: body, end: len(r.text), nodes: r.arena[:0]}
	ok := r.clean && p.document(start)
	if !ok {
		// The strict reader does not know where the document ends.
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

// SkipTo has Next go on at the document with an offset of the text, where that lies ahead. What is passed over is not
// read.
func (r *Reader) SkipTo(offset int) {
	for r.next < len(r.text) {
		_, _, end := split(r.text, r.next)
		if offset < end {
			return
		}
		r.next = end
	}
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
