package shape

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// Remove returns the edits that take out what carries marks, and the marks: a text without stamps becomes what it was
// before the Transforms. The settings are those that describe kinds.
func Remove(ctx context.Context, text []byte, s *config.Settings) ([]splice.Edit, error) {
	if !IsMarked(text) {
		return nil, nil
	}
	r := &remover{text: text, binder: binder{table: refs.NewTable(config.MaxLevel, s.Kinds.Value)}}
	if err := eachDocument(ctx, text, r.document); err != nil {
		return nil, render.NewPlaces(text, nil).Move(err)
	}
	edits := append(r.edits, r.copies()...)
	splice.Sort(edits)
	return edits, nil
}

// remover is one Remove.
type remover struct {
	binder
	text  []byte
	edits []splice.Edit
	gone  []splice.Edit // documents that are copies
}

// document takes out what was added to a document, or notes that all of it was.
func (r *remover) document(d *manifest.Document) error {
	if !bytes.Contains(d.Bytes(), []byte(Prefix)) {
		return nil
	}
	switch {
	case isEarlier(d.Root()):
		return nil
	case isCopy(d.Root()) && d.Root().Get("kind").Valid():
		r.gone = append(r.gone, splice.Edit{Start: d.Start, End: d.End})
		return nil
	}
	draft, err := changeObjects(d, r.steps)
	if err != nil {
		return err
	}
	if draft == nil {
		draft = newDraft(d)
	}
	if err := draft.change(withoutCopies); err != nil {
		return diag.Input(lineAt(r.text, d.Start), fmt.Errorf("take copies out of a List: %w", err), "")
	}
	r.edits = append(r.edits, draft.edits()...)
	return nil
}

// copies returns the edits that take out the documents that are copies. What lies behind the last line break of a text
// was put there with one.
func (r *remover) copies() (out []splice.Edit) {
	for _, e := range r.gone {
		if last := len(out) - 1; last >= 0 && out[last].End == e.Start {
			out[last].End = e.End
			continue
		}
		out = append(out, e)
	}
	if last := len(out) - 1; last >= 0 && out[last].End == len(r.text) && !bytes.HasSuffix(r.text, []byte("\n")) {
		out[last].Start = max(0, out[last].Start-1)
	}
	return out
}

// steps take out what was added to an object.
func (r *remover) steps(o manifest.Object) (out []step, err error) {
	if o.Annotation(WaveMark) != "" {
		out = append(out, withoutWave)
	}
	if fields := o.Annotation(FieldsMark); fields != "" {
		for _, word := range slices.Backward(strings.Fields(fields)) {
			out = append(out, func(o manifest.Object) ([]splice.Edit, error) { return withoutField(o, word) })
		}
		out = append(out, withoutMark(FieldsMark))
	}
	if marks := parseMarks(o.Annotation(BindingMark)); len(marks) > 0 {
		out = append(out, withoutMark(BindingMark))
		for _, m := range slices.Backward(marks) {
			out = append(out, func(o manifest.Object) ([]splice.Edit, error) { return r.withoutItem(o, m) })
		}
	}
	name, at := o.String(), o.Node.Offset()
	for i, s := range out {
		out[i] = func(o manifest.Object) ([]splice.Edit, error) {
			edits, err := s(o)
			if err != nil {
				return nil, diag.Input(lineAt(r.text, at), fmt.Errorf("take out what was added to %s: %w", name, err), "")
			}
			return edits, nil
		}
	}
	return out, nil
}

// withoutMark returns the step that takes a mark out.
func withoutMark(key string) step {
	return func(o manifest.Object) ([]splice.Edit, error) { return setMark(o.Node, key, "") }
}

// withoutItem takes out the item that a mark is about.
func (r *remover) withoutItem(o manifest.Object, m mark) (out []splice.Edit, err error) {
	for _, path := range r.podSpecs(o) {
		spec := o.Node.At(path...)
		places := []manifest.Node{spec}
		if m.container != "" {
			places = append(slices.Collect(spec.Get("initContainers").Items()),
				slices.Collect(spec.Get("containers").Items())...)
		}
		for _, n := range places {
			list := n.Get(m.field)
			index := indexOf(list, m.field, m.identity)
			if index < 0 || m.container != "" && n.Get("name").StringValue() != m.container {
				continue
			}
			var edits []splice.Edit
			switch {
			case list.Len() > 1 || m.before == "":
				edits, err = splice.EditItems(n, []string{m.field}, splice.ItemChange{At: index, Remove: 1})
			case m.before == nullList:
				edits, err = splice.Set(n, []string{m.field}, nil)
			default:
				edits, err = splice.Delete(n, []string{m.field})
			}
			if err != nil {
				return nil, err
			}
			out = append(out, edits...)
		}
	}
	return out, nil
}

// withoutCopies takes the copies out of a List: as many at once as stand next to each other.
func withoutCopies(root manifest.Node) (out []splice.Edit, err error) {
	first, i := -1, 0 // the first copy of those that precede an item
	takeOut := func(to int) {
		if first < 0 || err != nil {
			return
		}
		var edits []splice.Edit
		edits, err = splice.EditItems(root, []string{"items"}, splice.ItemChange{At: first, Remove: to - first})
		out, first = append(out, edits...), -1
	}
	for item := range root.Get("items").Items() {
		switch {
		case !isCopy(item):
			takeOut(i)
		case first < 0:
			first = i
		}
		i++
	}
	takeOut(i)
	return out, err
}

// isEarlier reports whether an object is an earlier content of another one, which stays as it was printed: stamping
// takes it out.
func isEarlier(object manifest.Node) bool {
	return object.At("metadata", "annotations").Get(hashing.KeptMark).StringValue() != ""
}

func isCopy(object manifest.Node) bool {
	return object.At("metadata", "annotations").Get(CopyMark).Valid()
}
