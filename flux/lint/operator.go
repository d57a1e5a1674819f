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

// resourceSet is the kind of flux-operator's objects that make others.
const resourceSet = "ResourceSet"

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
			if o.Group() == objects.OperatorGroup && o.Kind == resourceSet {
				found = append(found, diag.New(diag.FluxResourceSet, o.String(),
					"what flux-operator makes of it is not rendered here, and has no stamps").At(places.At(d.Start)).AsNotice())
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
