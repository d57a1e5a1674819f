package shape

import (
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// draft is a document that is changed step by step. Each step sees the text as the one before left it, and all of them
// together are edits of the text at the beginning.
type draft struct {
	start, end int    // of the document in its text
	before     []byte // the text up to the document
	text       []byte
	pieces     []piece
	reencoded  bool
}

// piece is a part of a draft's text: bytes of the document from an offset on, or new text.
type piece struct {
	from, size int // in the document; from is -1 for new text
	text       string
}

func (p piece) cut(from, to int) piece {
	if p.from < 0 {
		return piece{from: -1, size: to - from, text: p.text[from:to]}
	}
	return piece{from: p.from + from, size: to - from}
}

func newDraft(d *manifest.Document) *draft {
	return &draft{start: d.Start, end: d.End, before: d.Text()[:d.Start], text: d.Bytes(),
		pieces: []piece{{size: d.End - d.Start}}}
}

// position returns the line at which the document begins.
func (d *draft) position() diag.Position { return lineAt(d.before, len(d.before)) }

// change makes a step: edits returns what changes in the document whose root it gets. Where that cannot be done in
// place, the document is encoded again, once.
func (d *draft) change(edits func(root manifest.Node) ([]splice.Edit, error)) error {
	for {
		document, err := manifest.Parse(d.text)
		if err != nil {
			return err
		}
		made, err := edits(document.Root())
		if err == nil {
			splice.Sort(made)
			d.apply(made)
			return nil
		}
		if !errors.Is(err, splice.ErrNotInPlace) || d.reencoded {
			return err
		}
		again, err := splice.Reencode(document)
		if err != nil {
			return err
		}
		d.reencoded, d.text = true, again.Text()
		d.pieces = []piece{{from: -1, size: len(d.text), text: string(d.text)}}
	}
}

// apply makes edits of the text, which are sorted, edits of the pieces.
func (d *draft) apply(edits []splice.Edit) {
	if len(edits) == 0 {
		return
	}
	var out []piece
	at := 0
	for _, e := range edits {
		out = append(out, d.part(at, e.Start)...)
		if e.Text != "" {
			out = append(out, piece{from: -1, size: len(e.Text), text: e.Text})
		}
		at = e.End
	}
	out = append(out, d.part(at, len(d.text))...)
	d.text, d.pieces = splice.Bytes(d.text, edits), out
}

// part returns the pieces of a part of the text.
func (d *draft) part(from, to int) (out []piece) {
	at := 0
	for _, p := range d.pieces {
		first, last := max(from-at, 0), min(to-at, p.size)
		if first < last {
			out = append(out, p.cut(first, last))
		}
		at += p.size
	}
	return out
}

// edits returns all steps as edits of the text that the document lies in.
func (d *draft) edits() (out []splice.Edit) {
	at, text := 0, "" // where the document goes on, and what is new before that
	flush := func(to int) {
		if text != "" || to > at {
			out = append(out, splice.Edit{Start: d.start + at, End: d.start + to, Text: text})
		}
	}
	for _, p := range d.pieces {
		if p.from < 0 {
			text += p.text
			continue
		}
		flush(p.from)
		at, text = p.from+p.size, ""
	}
	flush(d.end - d.start)
	return out
}
