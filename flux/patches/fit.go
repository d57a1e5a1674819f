package patches

import (
	"bytes"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/splice"
)

// Misfit is a patch of ours for the patches of another object that was written when that object had patches of others
// and now has none, or the other way around.
type Misfit struct {
	Line int    // of the patch in its file
	Of   string // the object that the patch is for, as "Kind name"
	List string // the field of that object
	// Lost: the object has no such list any more, and the patch fails. Otherwise the patch replaces the list that it has.
	Lost bool
}

// Misfits returns the patches of an object that do not fit what they are for.
func (t *Text) Misfits(w *Wanted) (out []Misfit) {
	t.eachMisfit(w, func(e *entry) {
		m := Misfit{Line: 1 + bytes.Count(t.text[:e.patch.Offset()], []byte("\n")), Of: e.stamps.Kind + " " + e.stamps.Name,
			List: "spec.patches", Lost: e.stamps.Appends}
		if e.stamps.Kind == "HelmRelease" {
			m.List = "spec.postRenderers"
		}
		out = append(out, m)
	})
	return out
}

// WithoutFailing returns the text in which the patches of objects that fail, because what they add to is not there any
// more, set the same stamps and do not fail.
func (t *Text) WithoutFailing(all []*Wanted) ([]byte, error) {
	var edits []splice.Edit
	var errs []error
	for _, w := range all {
		t.eachMisfit(w, func(e *entry) {
			if !e.stamps.Appends {
				return
			}
			fitting := *e.stamps
			fitting.Appends = false
			body, err := fitting.body()
			if err == nil {
				var made []splice.Edit
				made, err = splice.SetString(e.patch, body)
				edits = append(edits, made...)
			}
			errs = append(errs, err)
		})
	}
	splice.Sort(edits)
	return splice.Bytes(t.text, slices.Compact(edits)), errors.Join(errs...)
}

// eachMisfit calls a function with each of these patches.
func (t *Text) eachMisfit(w *Wanted, do func(*entry)) {
	o := t.object(w)
	if o == nil {
		return
	}
	for _, e := range readList(w.Prefix, o.Node, "spec", "patches").ours {
		for i := range w.Stamps {
			s := &w.Stamps[i]
			if len(e.stamps.Inner) > 0 && s.id() == e.stamps.id() && s.Appends != e.stamps.Appends {
				do(e)
			}
		}
	}
}
