package patches

import (
	"bytes"

	"github.com/rollstamp/rollstamp/manifest"
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

// Misfits returns the patches of the object in its file that do not fit what they are for.
func (w *Wanted) Misfits(text []byte, name string) (out []Misfit) {
	w.eachMisfit(text, name, func(e *entry) {
		m := Misfit{Line: 1 + bytes.Count(text[:e.patch.Offset()], []byte("\n")), Of: e.stamps.Kind + " " + e.stamps.Name,
			List: "spec.patches", Lost: e.stamps.Appends}
		if e.stamps.Kind == "HelmRelease" {
			m.List = "spec.postRenderers"
		}
		out = append(out, m)
	})
	return out
}

// WithoutFailing returns the text of the object's file in which the patches that fail, because what they add to is not
// there any more, set the same stamps and do not fail.
func (w *Wanted) WithoutFailing(text []byte, name string) ([]byte, error) {
	var edits []splice.Edit
	var failed error
	w.eachMisfit(text, name, func(e *entry) {
		if !e.stamps.Appends {
			return
		}
		fitting := *e.stamps
		fitting.Appends = false
		body, err := fitting.body()
		if err != nil {
			failed = err
			return
		}
		made, err := splice.SetString(e.patch, body)
		if err != nil {
			failed = err
		}
		edits = append(edits, made...)
	})
	splice.Sort(edits)
	return splice.Bytes(text, edits), failed
}

// eachMisfit calls a function with each of these patches.
func (w *Wanted) eachMisfit(text []byte, name string, do func(*entry)) {
	found, err := objectsIn(text, name)
	if err != nil {
		return
	}
	at := w.among(found)
	if at < 0 {
		return
	}
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return
		}
		for o := range d.Objects() {
			if o.Node.Offset() != found[at].offset {
				continue
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
	}
}
