package native

import (
	"slices"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/rollstamp/rollstamp/render/kustomize/output"
)

// sortObjects orders objects as the kustomization that is built says it.
func sortObjects(l *list, root *Kustomization, order Order) error {
	sorted := order == Sorted
	if s := root.SortOptions; s != nil {
		switch {
		case s.Order == types.FIFOSortOrder && s.LegacySortOptions == nil:
			sorted = false
		case s.Order == types.LegacySortOrder && s.LegacySortOptions == nil:
			sorted = true
		default:
			return decline("an order of kinds")
		}
	}
	if sorted {
		l.objects = output.SortBy(l.objects, func(o *object) resid.ResId { return o.id })
	}
	return nil
}

// print writes the text of all objects.
func (b *builder) print(l *list) error {
	var text []byte
	b.out.Complete = true
	for i, o := range l.objects {
		b.out.Complete = b.out.Complete && o.id.Name != "" && o.id.Kind != "" && o.id.ApiVersion() != ""
		b.out.Objects = append(b.out.Objects, Object{Offset: len(text), File: o.file, Line: o.line})
		if i > 0 {
			text = append(text, "---\n"...)
		}
		if o.res == nil {
			text = append(text, o.printed...)
			continue
		}
		o.res.RemoveBuildAnnotations()
		for _, clean := range []func() error{func() error { return o.res.SetOrigin(nil) }, o.res.ClearTransformations} {
			if err := clean(); err != nil {
				return failed("taking out annotations", err)
			}
		}
		var err error
		if text, err = b.documents.AppendResource(text, o.res); err != nil {
			return failed("printing", err)
		}
		o.res = nil // its nodes are no longer needed
	}
	b.out.Text = slices.Clip(text)
	return nil
}
