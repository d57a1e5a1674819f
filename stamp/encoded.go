package stamp

import (
	"bytes"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// encoded returns the render with the documents encoded again that edits replace, where more can be written into it
// then: a name that cannot be written over as the text is, or the annotations of a producer. Stamping what comes out
// would write them. It is the render itself where nothing depends on that.
func (d *Decided) encoded(edits []splice.Edit) *render.Output {
	if !d.names && !slices.ContainsFunc(d.in.documents, d.in.holdsRefreshed) {
		return d.in.out
	}
	var again []splice.Edit
	with := *d.in.out
	for _, document := range d.in.documents {
		isReplaced := func(e splice.Edit) bool { return e.Start == document.start && e.End == document.end }
		isEncoded := bytes.Equal(with.Text[document.start:document.end], document.text)
		if !isEncoded && slices.ContainsFunc(edits, isReplaced) {
			again = append(again, splice.Edit{Start: document.start, End: document.end, Text: string(document.text)})
			with.Findings = append(slices.Clip(with.Findings), document.finding().At(d.in.positions.At(document.at)))
		}
	}
	if len(again) == 0 {
		return d.in.out
	}
	return with.Edit(again, nil)
}

// finding returns what is to be reported of a document that is encoded again.
func (d *document) finding() diag.Finding {
	f := diag.New(diag.Reencoded, "", "the document was encoded again")
	if d.construct != "" {
		f.Message += " because of " + d.construct
	}
	if d.hasComments {
		f.Message += ", and its comments are lost"
		f = f.AsNotice()
	}
	return f
}

// holdsRefreshed reports whether an object lies in a document whose operator could be asked to fetch again.
func (in *Input) holdsRefreshed(d document) bool {
	for _, m := range in.index.Producers() {
		if m.Refresh() != nil && !m.Context && d.start <= m.Offset && m.Offset < d.end {
			return true
		}
	}
	return false
}
