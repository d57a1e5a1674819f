package rounds

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/hashing"
)

// isBare reports whether a member is built without the patches that set nothing but stamps.
func (s *Source) isBare(m *member) bool {
	return !m.isWhole && s.finder.WithoutStamps != nil && s.finder.WithoutStamps(m.String())
}

// bareKustomization returns a Kustomization without these patches, and whether it has any.
func bareKustomization(k *objects.Kustomization, prefix hashing.Prefix) (bare *objects.Kustomization, had bool) {
	left, had := otherPatches(k.Spec.Patches, prefix)
	if !had {
		return k, false
	}
	out := *k
	out.Spec.Patches = left
	return &out, true
}

// bareRelease is as bareKustomization. A step of which nothing is left goes, as it would change how the rest is
// written.
func bareRelease(r *objects.HelmRelease, prefix hashing.Prefix) (bare *objects.HelmRelease, had bool) {
	var steps []objects.PostRenderer
	for _, step := range r.Spec.PostRenderers {
		if step.Kustomize == nil {
			steps = append(steps, step)
			continue
		}
		left, has := otherPatches(step.Kustomize.Patches, prefix)
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
func otherPatches(all []objects.Patch, prefix hashing.Prefix) (left []objects.Patch, others bool) {
	isOurs := func(p objects.Patch) bool { return patches.IsOurs(p.Patch, prefix) }
	left = slices.DeleteFunc(slices.Clone(all), isOurs)
	return left, len(left) < len(all)
}

// outdatedPatch returns the error of a build with the next step where one of our patches fails, because the object that
// it is for has no patches of others any more; other errors as they are.
func outdatedPatch(k *objects.Kustomization, prefix hashing.Prefix, err error) error {
	if !strings.Contains(err.Error(), "doc is missing path") {
		return err
	}
	cause := err
	var known *diag.Error
	if errors.As(err, &known) {
		cause = known.Err
	}
	for i, p := range k.Spec.Patches {
		for _, list := range []string{"postRenderers", "patches"} {
			path := "/spec/" + list + "/-"
			if p.Target == nil || !strings.Contains(p.Patch, "path: "+path) || !strings.Contains(err.Error(), path) ||
				!patches.IsOurs(p.Patch, prefix) {
				continue
			}
			return k.FailAt(fmt.Errorf("spec.patches[%d] adds stamps to spec.%s of %s %s, which it has no longer: %w",
				i, list, p.Target.Kind, p.Target.Name, cause),
				"Run rollstamp flux stamp: it writes the patch as it has to be now.", "patches", i)
		}
	}
	return err
}

// MayLoseStamps reports whether what sets stamps in what an application applies may be without effect: other patches of
// its object or steps of its kustomization come later, or what applies the object replaces all that its file has.
func (s *Source) MayLoseStamps(name string) bool {
	m, set := s.named[name], false
	if m == nil {
		return false
	}
	for _, p := range m.patches() {
		switch isOurs := patches.IsOurs(p.Patch, s.finder.Prefix); {
		case isOurs:
			set = true
		case set:
			return true
		}
	}
	return !set || m.changesLater()
}

// laterFields are the fields of a kustomization that kustomize applies behind its patches, and that may change or
// remove any field.
var laterFields = []string{"patchesJson6902", "replacements", "transformers"}

// changesLater reports whether the kustomization that a member's patches are added to has such a step.
func (m *member) changesLater() bool {
	if m.kustomization == nil || m.app == nil {
		return false
	}
	w := walk{system: files.OrDisk(m.app.Request().Files)}
	_, text := w.kustomization(m.folder)
	isThere := func(field string) bool { return bytes.Contains(text, []byte(field+":")) }
	return slices.ContainsFunc(laterFields, isThere)
}

// Patches returns the patches of the object of an application, in the order in which they are applied: those that set
// nothing but stamps, too, where it is built without them.
func (s *Source) Patches(name string) []objects.Patch {
	if m := s.named[name]; m != nil {
		return m.patches()
	}
	return nil
}

// patches returns the patches of a member's object, in the order in which they are applied.
func (m *member) patches() (all []objects.Patch) {
	switch {
	case m.kustomization != nil:
		return m.kustomization.Spec.Patches
	case m.release != nil:
		for _, step := range m.release.Spec.PostRenderers {
			if step.Kustomize != nil {
				all = append(all, step.Kustomize.Patches...)
			}
		}
	}
	return all
}
