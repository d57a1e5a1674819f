package rounds

import (
	"slices"

	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/patches"
)

// isBare reports whether a member is built without the patches that set nothing but stamps.
func (s *Source) isBare(m *member) bool {
	return s.finder.WithoutStamps != nil && s.finder.WithoutStamps(m.String())
}

// bareKustomization returns a Kustomization without these patches, and whether it has any.
func bareKustomization(k *objects.Kustomization) (bare *objects.Kustomization, had bool) {
	left, had := otherPatches(k.Spec.Patches)
	if !had {
		return k, false
	}
	out := *k
	out.Spec.Patches = left
	return &out, true
}

// bareRelease is as bareKustomization. A step of which nothing is left goes, as it would change how the rest is written.
func bareRelease(r *objects.HelmRelease) (bare *objects.HelmRelease, had bool) {
	var steps []objects.PostRenderer
	for _, step := range r.Spec.PostRenderers {
		if step.Kustomize == nil {
			steps = append(steps, step)
			continue
		}
		left, has := otherPatches(step.Kustomize.Patches)
		if !has {
			steps = append(steps, step)
			continue
		}
		had = true
		if len(left) > 0 || len(step.Kustomize.Images) > 0 {
			kustomize := *step.Kustomize
			kustomize.Patches = left
			step.Kustomize = &kustomize
			steps = append(steps, step)
		}
	}
	if !had {
		return r, false
	}
	out := *r
	out.Spec.PostRenderers = steps
	return &out, true
}

// otherPatches returns the patches that set something else than stamps, and whether others are among them.
func otherPatches(all []objects.Patch) (left []objects.Patch, others bool) {
	isOurs := func(p objects.Patch) bool { return patches.IsOurs(p.Patch) }
	left = slices.DeleteFunc(slices.Clone(all), isOurs)
	return left, len(left) < len(all)
}
