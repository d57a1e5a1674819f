package lint

import (
	"bytes"
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// ResourceSets is the transform that reports the objects of which flux-operator makes others in the cluster.
func ResourceSets(_ context.Context, out *render.Output) (*render.Output, error) {
	if !bytes.Contains(out.Text, []byte(objects.OperatorGroup)) {
		return out, nil
	}
	var found []diag.Finding
	places := render.NewPlaces(out.Text, nil)
	for d, err := range manifest.Documents(out.Text, "") {
		if err != nil {
			return nil, err
		}
		for o := range d.Objects() {
			if o.Group() == objects.OperatorGroup && o.Kind == objects.ResourceSet {
				found = append(found, OfResourceSet(o.String()).At(places.At(d.Start)))
			}
		}
	}
	if len(found) == 0 {
		return out, nil
	}
	with := *out
	with.Findings = slices.Concat(out.Findings, found)
	return &with, nil
}

// OfResourceSet reports an object of which flux-operator makes others.
func OfResourceSet(object string) diag.Finding {
	message := "what flux-operator makes of it is not rendered here, and has no stamps"
	return diag.New(diag.FluxResourceSet, object, message).AsNotice()
}
