package shape

import (
	"errors"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// draft is a document that is changed step by step. Each step sees the text as the one before left it, and all of them
// together are edits of the text at the beginning.
type draft struct {
	start, end int    // of the document in its text
	before     []byte // the text up to the document
	original   []byte // its text at the beginning
	text       []byte
	pieces     []piece
	reencoded  bool
	construct  string // why, as manifest.Document.Construct has it
	at         diag.Position
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
	return &draft{start: d.Start, end: d.End, before: d.Text()[:d.Start], original: d.Bytes(), text: d.Bytes(),
		pieces: []piece{{size: d.End - d.Start}}}
}

// step is a change of one object, which sees it as the step before left it. It is asked again where the document is
// encoded again.
type step func(o manifest.Object) ([]splice.Edit, error)

// changeObjects makes the steps of the objects of a document, and returns nil where there are none. It makes the first
// steps of all objects at once, then the second ones, and so on: the document is read as often as one object has steps.
func changeObjects(
	d *manifest.Document, stepsOf func(o manifest.Object) ([]step, error),
) (*draft, error) {
	var all [][]step
	rounds := 0
	for o := range d.Objects() {
		steps, err := stepsOf(o)
		if err != nil {
			return nil, err
		}
		all, rounds = append(all, steps), max(rounds, len(steps))
	}
	if rounds == 0 {
		return nil, nil
	}
	out := newDraft(d)
	first := 0
	if out.begin(d, func(root manifest.Node) ([]splice.Edit, error) { return editsOf(root, all, 0) }) {
		first = 1
	}
	for round := first; round < rounds; round++ {
		err := out.change(func(root manifest.Node) ([]splice.Edit, error) { return editsOf(root, all, round) })
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// editsOf returns the edits of one step of each object that has so many.
func editsOf(root manifest.Node, all [][]step, round int) (out []splice.Edit, err error) {
	index := 0
	for o := range root.Document().Objects() {
		if index < len(all) && round < len(all[index]) {
			edits, err := all[index][round](o)
			if err != nil {
				return nil, err
			}
			out = append(out, edits...)
		}
		index++
	}
	return out, nil
}

// finding reports that the document was encoded again, by what it is written with, at the line of that.
func (d *draft) finding() diag.Finding {
	f := diag.New(diag.Reencoded, "", "the document was encoded again to add to it")
	if d.construct != "" {
		f.Message += " because of " + d.construct
	}
	f.Message += ", and its comments are lost"
	return f.At(d.at).AsNotice()
}

// begin makes the first step in the document itself, which has been read already. It reports false, and changes
// nothing, where that cannot be done in place.
func (d *draft) begin(of *manifest.Document, edits func(root manifest.Node) ([]splice.Edit, error)) bool {
	made, err := edits(of.Root())
	if err != nil {
		return false
	}
	for i := range made {
		made[i].Start, made[i].End = made[i].Start-d.start, made[i].End-d.start
	}
	splice.Sort(made)
	d.apply(made)
	return true
}

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
		if err := d.explain(); err != nil {
			return err
		}
		d.reencoded, d.text = true, again.Text()
		d.pieces = []piece{{from: -1, size: len(d.text), text: string(d.text)}}
	}
}

// explain records what the document is written with, as it was at the beginning.
func (d *draft) explain() error {
	original, err := manifest.Parse(d.original)
	if err != nil {
		return err
	}
	construct, at := original.Construct()
	d.construct = construct
	d.at = diag.Position{Line: lineAt(d.before, len(d.before)).Line + lineAt(d.original, at).Line - 1}
	return nil
}

// apply makes edits of the text, which are sorted, edits of the pieces.
func (d *draft) apply(edits []splice.Edit) {
	if len(edits) == 0 {
		return
	}
	var out []piece
	rest, at := d.pieces, 0
	for _, e := range edits {
		out, rest = move(out, rest, e.Start-at)
		_, rest = move(nil, rest, e.End-e.Start)
		if e.Text != "" {
			out = append(out, piece{from: -1, size: len(e.Text), text: e.Text})
		}
		at = e.End
	}
	d.text, d.pieces = splice.Bytes(d.text, edits), append(out, rest...)
}

// move takes pieces of so many bytes away from the beginning of some, and puts them behind others.
func move(to, from []piece, size int) (moved, rest []piece) {
	for size > 0 {
		first := from[0]
		n := min(size, first.size)
		to, size = append(to, first.cut(0, n)), size-n
		if from[0] = first.cut(n, first.size); n == first.size {
			from = from[1:]
		}
	}
	return to, from
}

// edits returns all steps as edits of the text that the document lies in.
func (d *draft) edits() (out []splice.Edit) {
	var text strings.Builder // what is new
	at := 0                  // where the document goes on behind that
	flush := func(to int) {
		if text.Len() > 0 || to > at {
			out = append(out, splice.Edit{Start: d.start + at, End: d.start + to, Text: text.String()})
		}
		text.Reset()
	}
	for _, p := range d.pieces {
		if p.from < 0 {
			text.WriteString(p.text)
			continue
		}
		flush(p.from)
		at = p.from + p.size
	}
	flush(d.end - d.start)
	return out
}
