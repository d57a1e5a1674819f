package apps

import (
	"bytes"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// FindRepeated reports Applications that are written more than once: in a cluster they would overwrite each other, and
// here the first of them is rendered.
func FindRepeated(all []*Application) []diag.Finding {
	first, found := map[string]*Application{}, []diag.Finding{}
	for _, a := range all {
		key := a.Namespace + "/" + a.Name
		before, again := first[key]
		if !again {
			first[key] = a
			continue
		}
		message := "the same Application stands at " + before.Pos.String() + ", which is rendered; this one is not"
		found = append(found, diag.New(diag.DuplicateObject, "Application "+strings.TrimPrefix(key, "/"),
			message).At(a.Pos))
	}
	return diag.Sort(found)
}

// LastOnly removes from the renders of an application's sources the objects that a later source renders again: Argo CD
// applies the last. Texts without such objects do not change. Findings name the objects that were removed from each;
// objects without a namespace are in that of the destination.
func LastOnly(texts [][]byte, namespace string) (kept [][]byte, found [][]diag.Finding, err error) {
	last := map[[4]string]int{} // the text that holds the last one
	for i, text := range texts {
		note := func(key [4]string, _ manifest.Object, _ *manifest.Document) { last[key] = i }
		err := eachObject(text, namespace, note)
		if err != nil {
			return nil, nil, err
		}
	}
	kept, found = make([][]byte, len(texts)), make([][]diag.Finding, len(texts))
	for i, text := range texts {
		var rest bytes.Buffer
		at := 0
		err := eachObject(text, namespace, func(key [4]string, o manifest.Object, d *manifest.Document) {
			if last[key] == i {
				return
			}
			rest.Write(text[at:d.Start])
			at = d.End
			found[i] = append(found[i], diag.New(diag.DuplicateObject, o.String(),
				"a later source of the application renders the same object; Argo CD applies the last one"))
		})
		if err != nil {
			return nil, nil, err
		}
		if kept[i] = text; at > 0 {
			rest.Write(text[at:])
			kept[i] = rest.Bytes()
		}
	}
	return kept, found, nil
}

// eachObject visits the documents that contain one object.
func eachObject(text []byte, namespace string, visit func([4]string, manifest.Object, *manifest.Document)) error {
	for r := manifest.NewReader(text); ; {
		d, err := r.Next()
		if err != nil || d == nil {
			return err
		}
		var all []manifest.Object
		for o := range d.Objects() {
			all = append(all, o)
		}
		if len(all) != 1 || !all[0].Node.SameAs(d.Root()) {
			continue // no part of a List can be removed
		}
		o := all[0]
		key := [4]string{o.Group(), o.Kind, o.Namespace, o.Name}
		if key[2] == "" {
			key[2] = namespace
		}
		visit(key, o, d)
	}
}
