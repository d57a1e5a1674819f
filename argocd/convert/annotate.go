package convert

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// Annotate writes an annotation into Applications, and into the templates of ApplicationSets. Values has its value by
// object; an object without one stays as it is.
func Annotate(text []byte, name, annotation string, values map[string]string) ([]byte, error) {
	var edits []splice.Edit
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		for o := range d.Objects() {
			value := values[o.String()]
			if o.Group() != "argoproj.io" || value == "" {
				continue
			}
			made, err := annotate(o, annotation, value)
			if err != nil {
				return nil, &diag.Error{Exit: diag.ExitInput, Object: o.String(),
					Pos: diag.Position{File: name, Line: lineAt(text, o.Node.Offset())},
					Err: fmt.Errorf("write the annotation: %w", err), Hint: "Write it yourself: " + annotation + ": " + value}
			}
			edits = append(edits, made...)
		}
	}
	splice.Sort(edits)
	return splice.Bytes(text, edits), nil
}

// annotate returns the edits that write an annotation of an object, or of its template.
func annotate(o manifest.Object, annotation, value string) ([]splice.Edit, error) {
	at := []string{"metadata"}
	if o.Kind == "ApplicationSet" {
		at = []string{"spec", "template", "metadata"}
	}
	below := []string{"annotations", annotation}
	made, err := splice.Set(o.Node, slices.Concat(at, below), value)
	if errors.Is(err, splice.ErrNotInPlace) {
		if own := plainly(o.Node.At(at...)); own.Valid() {
			return splice.Set(own, below, value)
		}
	}
	return made, err
}
