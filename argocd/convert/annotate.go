package convert

import (
	"fmt"

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
			path := []string{"metadata", "annotations", annotation}
			if o.Kind == "ApplicationSet" {
				path = append([]string{"spec", "template"}, path...)
			}
			made, err := splice.Set(o.Node, path, value)
			if err != nil {
				return nil, &diag.Error{Exit: diag.ExitInput, Object: o.String(), Pos: diag.Position{File: name},
					Err: fmt.Errorf("write the annotation: %w", err)}
			}
			edits = append(edits, made...)
		}
	}
	splice.Sort(edits)
	return splice.Bytes(text, edits), nil
}
