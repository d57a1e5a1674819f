package patches

import (
	"bytes"
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// The API groups of the objects that take patches.
const (
	kustomizeGroup = "kustomize.toolkit.fluxcd.io"
	helmGroup      = "helm.toolkit.fluxcd.io"
)

// Takes reports whether an object is one that takes patches: a Kustomization or a HelmRelease of Flux.
func Takes(o manifest.Object) bool {
	return o.Kind == "Kustomization" && o.Group() == kustomizeGroup || o.Kind == "HelmRelease" && o.Group() == helmGroup
}

// File returns the edits that write the patches that wanted returns for the objects of a file into them, in the order
// of the file; the keys of stamps have the prefix. Where it reports false, an object stays as it is. Patches of
// others are not touched, nor is any other byte.
func File(text []byte, name string, prefix hashing.Prefix,
	wanted func(o manifest.Object) ([]Stamps, bool)) ([]splice.Edit, error) {
	var out []splice.Edit
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		for o := range d.Objects() {
			if !Takes(o) {
				continue
			}
			stamps, ok := wanted(o)
			if !ok {
				continue
			}
			edits, err := inDocument(d, o, prefix, stamps)
			if err != nil {
				return nil, refuse(err, name, o)
			}
			out = append(out, edits...)
		}
	}
	splice.Sort(out)
	return out, nil
}

// Remove returns the edits that take all of our patches out of the objects of a file.
func Remove(text []byte, name string, prefix hashing.Prefix) ([]splice.Edit, error) {
	if !prefix.MayBeIn(text) {
		return nil, nil
	}
	return File(text, name, prefix, func(o manifest.Object) ([]Stamps, bool) { return nil, HasStamps(o, prefix) })
}

// HasStamps reports whether one of the patches of an object is ours.
func HasStamps(o manifest.Object, prefix hashing.Prefix) bool {
	if len(readList(prefix, o.Node, "spec", "patches").ours) > 0 {
		return true
	}
	for item := range o.Node.At("spec", "postRenderers").Items() {
		if len(readList(prefix, item.Get("kustomize"), "patches").ours) > 0 {
			return true
		}
	}
	return false
}

// inDocument returns the edits of an object in a document, whose anchors and tabs are left as they are.
func inDocument(
	d *manifest.Document, o manifest.Object, prefix hashing.Prefix, wanted []Stamps,
) ([]splice.Edit, error) {
	if d.Fast() {
		return edits(o, prefix, wanted)
	}
	if leadsThroughAlias(o) {
		return nil, splice.ErrNotInPlace
	}
	plain, ok := withoutAnchors(d.Bytes())
	if !ok {
		return nil, splice.ErrNotInPlace
	}
	plain = withoutTabs(plain)
	made, err := inPlain(d, plain, o, prefix, wanted)
	if !errors.Is(err, splice.ErrNotInPlace) {
		return made, err
	}
	return inPlain(d, withoutKYAML(plain), o, prefix, wanted)
}

// inPlain returns the edits of an object in a document, found in a text in which everything is at the same offset.
func inPlain(
	d *manifest.Document, plain []byte, o manifest.Object, prefix hashing.Prefix, wanted []Stamps,
) ([]splice.Edit, error) {
	for again, err := range manifest.Documents(plain, "") {
		if err != nil {
			return nil, splice.ErrNotInPlace
		}
		if !again.Fast() {
			continue
		}
		for same := range again.Objects() {
			if d.Start+same.Node.Offset() == o.Node.Offset() && same.Kind == o.Kind {
				made, err := edits(same, prefix, wanted)
				for i := range made {
					made[i].Start, made[i].End = d.Start+made[i].Start, d.Start+made[i].End
				}
				return made, err
			}
		}
	}
	return nil, splice.ErrNotInPlace
}

// leadsThroughAlias reports whether the patches of an object are written for several places.
func leadsThroughAlias(o manifest.Object) bool {
	spec := o.Node.Get("spec")
	key, _ := spec.OwnEntry("patches")
	return o.Node.IsAliased() || spec.IsAliased() || spec.Get("patches").IsAliased() ||
		spec.Get("postRenderers").IsAliased() || spec.Get("patches").Valid() && !key.Valid()
}

// refuse returns the error of an object that cannot be edited.
func refuse(err error, name string, o manifest.Object) error {
	pos := diag.Position{File: name, Line: Line(o)}
	out := &diag.Error{Exit: diag.ExitInput, Object: o.String(), Pos: pos, Err: err}
	if errors.Is(err, splice.ErrNotInPlace) {
		out.Err = errors.New("its patches cannot be edited in place: an alias, a tag, a merge key, irregular " +
			"indentation, a comment within braces, or a colon within braces that has neither a blank nor a value " +
			"behind it is there")
		out.Hint = "Write them out: yq -P 'explode(.)' " + name
	}
	return out
}

// Line returns the line that an object begins in.
func Line(o manifest.Object) int {
	return 1 + bytes.Count(o.Node.Document().Text()[:o.Node.Offset()], []byte("\n"))
}
