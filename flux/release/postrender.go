package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// postRenderer is what helm-controller does with a render: spec.postRenderers in their order, spec.commonMetadata, and
// the labels that name the release.
type postRenderer struct {
	r         *objects.HelmRelease
	kustomize render.Engine
}

// The values of spec.postRenderStrategy that are not the default, by which hooks are changed together with the rest.
const (
	noHooks  = "nohooks"
	separate = "separate"
)

// transform is the post-renderer as a step of the pipeline. A second render is changed likewise.
func (p postRenderer) transform(ctx context.Context, out *render.Output) (*render.Output, error) {
	changed := *out
	var err error
	if changed.Text, changed.Origins, err = p.run(ctx, out.Text, out.Origins); err != nil {
		return nil, err
	}
	if out.SecondRender != nil {
		if changed.SecondRender, _, err = p.run(ctx, out.SecondRender, nil); err != nil {
			return nil, err
		}
	}
	return &changed, nil
}

// run changes one text.
func (p postRenderer) run(ctx context.Context, text []byte, origins []render.Origin) ([]byte, []render.Origin, error) {
	parts, err := p.read(text)
	if err != nil {
		return nil, nil, p.fail(err)
	}
	size := 0
	for _, one := range parts {
		size += len(one.text)
	}
	w := &writer{text: make([]byte, 0, size), from: origins, old: text}
	if !p.kustomizes() {
		for _, one := range parts {
			w.add(one)
		}
		return w.text, w.origins, nil
	}
	for _, group := range groups(parts) {
		if err := p.build(ctx, w, group); err != nil {
			return nil, nil, p.fail(err)
		}
	}
	return w.text, w.origins, nil
}

// kustomizes reports whether kustomize changes anything.
func (p postRenderer) kustomizes() bool {
	for _, step := range p.r.Spec.PostRenderers {
		if step.Kustomize != nil {
			return true
		}
	}
	return false
}

// fail returns an error as one of the release: its place would be in a text that nobody has seen.
func (p postRenderer) fail(err error) error {
	hint := diag.HintOf(err)
	for {
		var known *diag.Error
		if !errors.As(err, &known) || known.Err == nil {
			return p.r.Fail(fmt.Errorf("post-render: %w", err), hint)
		}
		err = known.Err
	}
}

// read splits a render into documents, with the metadata that they get: or, where kustomize changes them first, with
// the annotation that names their template.
func (p postRenderer) read(text []byte) ([]part, error) {
	all, origin := metadataOf(p.r), metadata{labels: entries(originLabels(p.r))}
	kustomizes := p.kustomizes()
	names := [kinds]map[string]string{{}, {}, {}}
	var parts []part
	source := ""
	for d, err := range manifest.Documents(text, "") {
		if err != nil {
			return nil, err
		}
		if s, ok := sourceOf(d.Bytes()); ok {
			source = s // a file of crds/ may hold further documents
		}
		one := part{kind: p.kindOf(d, source), start: d.Start, end: d.End, source: source}
		add := all
		switch {
		case one.kind == ofCRDs && !isCRD(d):
			continue // helm-controller leaves it out
		case one.kind == ofCRDs:
			add = origin
		case one.kind == untouched:
			add = metadata{}
		case kustomizes:
			add = metadata{annotations: []splice.Entry{{Key: filename, Value: source}}}
		}
		if one.kind != ofCRDs && one.kind != untouched {
			if err := checkNames(d, source, names[one.kind]); err != nil {
				return nil, err
			}
		}
		if one.text, one.edits, err = add.addTo(d); err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		parts = append(parts, one)
	}
	return parts, nil
}

// kindOf returns which part of a render a document belongs to.
func (p postRenderer) kindOf(d *manifest.Document, source string) kind {
	switch {
	case isCRDFile(source):
		return ofCRDs
	case d.Root().At("metadata", "annotations", "helm.sh/hook").StringValue() == "":
		return ofManifests
	case p.r.Spec.PostRenderStrategy == noHooks:
		return untouched
	case p.r.Spec.PostRenderStrategy == separate:
		return ofHooks
	}
	return ofManifests
}

// groups returns documents as they are post-rendered together.
func groups(parts []part) [][]part {
	var out [kinds][]part
	for _, one := range parts {
		out[one.kind] = append(out[one.kind], one)
	}
	return out[:]
}

// checkNames refuses what kustomize refuses, which adds the labels in helm-controller: objects without a name, and two
// of the same name.
func checkNames(d *manifest.Document, source string, seen map[string]string) error {
	for o := range d.Objects() {
		if o.Node.At("metadata", "name").StringValue() == "" {
			return &diag.Error{Err: fmt.Errorf("%s of %s has no metadata.name, which kustomize refuses", o.Kind, source),
				Hint: "If it is a hook, set spec.postRenderStrategy to nohooks."}
		}
		namespace := o.Namespace
		if namespace == "" {
			namespace = render.DefaultNamespace
		}
		id := o.APIVersion + " " + manifest.Describe(o.Kind, namespace, o.Name)
		if before, twice := seen[id]; twice {
			return &diag.Error{Err: fmt.Errorf("%s is rendered twice, by %s and %s, which kustomize refuses", o, before,
				source), Hint: "If one of them is a hook, set spec.postRenderStrategy to separate or nohooks."}
		}
		seen[id] = source
	}
	return nil
}
