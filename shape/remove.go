package shape

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
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
	if isCopy(d.Root()) && d.Root().Get("kind").Valid() {
		r.gone = append(r.gone, splice.Edit{Start: d.Start, End: d.End})
		return nil
	}
	draft := newDraft(d)
	count := 0
	for range d.Objects() {
		count++
	}
	for index := range count {
		if err := r.object(draft, index); err != nil {
			return err
		}
	}
	for range count {
		if err := draft.change(withoutCopy); err != nil {
			return diag.Input(lineAt(r.text, d.Start), fmt.Errorf("take copies out of a List: %w", err), "")
		}
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

// object takes out what was added to an object of a document.
func (r *remover) object(d *draft, index int) error {
	var marks []mark
	name, hasWave, hasFields := "", false, false
	step := func(edits func(o manifest.Object) ([]splice.Edit, error)) error {
		return d.change(func(root manifest.Node) ([]splice.Edit, error) { return edits(objectAt(root, index)) })
	}
	err := step(func(o manifest.Object) ([]splice.Edit, error) {
		name, marks = o.String(), parseMarks(o.Annotation(BindingMark))
		hasWave, hasFields = o.Annotation(WaveMark) != "", o.Annotation(FieldsMark) != ""
		return nil, nil
	})
	if err == nil && hasWave {
		err = step(withoutWave)
	}
	if err == nil && hasFields {
		err = r.fields(step)
	}
	if len(marks) > 0 && err == nil {
		err = step(func(o manifest.Object) ([]splice.Edit, error) { return setMark(o.Node, BindingMark, "") })
	}
	for _, m := range slices.Backward(marks) {
		if err == nil {
			err = step(func(o manifest.Object) ([]splice.Edit, error) { return r.withoutItem(o, m) })
		}
	}
	if err != nil {
		return diag.Input(lineAt(r.text, d.start), fmt.Errorf("take out what was added to %s: %w", name, err), "")
	}
	return nil
}

// fields takes out the values that fields of an object got, and then their mark.
func (r *remover) fields(step func(func(manifest.Object) ([]splice.Edit, error)) error) error {
	mark := ""
	err := step(func(o manifest.Object) ([]splice.Edit, error) {
		mark = o.Annotation(FieldsMark)
		return nil, nil
	})
	for _, word := range slices.Backward(strings.Fields(mark)) {
		if err == nil {
			err = step(func(o manifest.Object) ([]splice.Edit, error) { return withoutField(o, word) })
		}
	}
	if err != nil {
		return err
	}
	return step(func(o manifest.Object) ([]splice.Edit, error) { return setMark(o.Node, FieldsMark, "") })
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

// withoutCopy takes the last copy out of a List.
func withoutCopy(root manifest.Node) ([]splice.Edit, error) {
	last, i := -1, 0
	for item := range root.Get("items").Items() {
		if isCopy(item) {
			last = i
		}
		i++
	}
	if last < 0 {
		return nil, nil
	}
	return splice.EditItems(root, []string{"items"}, splice.ItemChange{At: last, Remove: 1})
}

func isCopy(object manifest.Node) bool {
	return object.At("metadata", "annotations").Get(CopyMark).Valid()
}
