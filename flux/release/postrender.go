package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/metadata"
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

	origin metadata.Set // the labels that name the release
	all    metadata.Set // with spec.commonMetadata, less its entries of the same name
}

// The values of spec.postRenderStrategy that are not the default, by which hooks are changed together with the rest.
const (
	noHooks  = "nohooks"
	separate = "separate"
)

func newPostRenderer(r *objects.HelmRelease, kustomize render.Engine) postRenderer {
	origin := map[string]string{objects.HelmGroup + "/name": r.Name, objects.HelmGroup + "/namespace": r.Namespace}
	p := postRenderer{r: r, kustomize: kustomize, origin: metadata.New(origin, nil), all: metadata.New(origin, nil)}
	if c := r.Spec.CommonMetadata; c != nil {
		labels := map[string]string{}
		maps.Copy(labels, c.Labels)
		maps.Copy(labels, origin)
		p.all = metadata.New(labels, c.Annotations)
	}
	return p
}

// transform is the post-renderer as a step of the pipeline. A second render is changed likewise.
func (p postRenderer) transform(ctx context.Context, out *render.Output) (*render.Output, error) {
	first, err := p.read(out.Text)
	if err != nil {
		return nil, p.fail(err)
	}
	second, err := p.read(out.SecondRender)
	if err != nil {
		return nil, p.fail(err)
	}
	if !p.kustomizes() {
		changed := *out.Edit(first.edits, second.edits)
		changed.IsRelease = true
		return &changed, nil
	}
	changed := *out
	changed.IsRelease = true
	if changed.Text, changed.Origins, err = p.build(ctx, out.Edit(first.edits, nil), first); err != nil {
		return nil, p.fail(err)
	}
	if out.SecondRender != nil {
		again := (&render.Output{Text: out.SecondRender}).Edit(second.edits, nil)
		if changed.SecondRender, _, err = p.build(ctx, again, second); err != nil {
			return nil, p.fail(err)
		}
	}
	return &changed, nil
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

// fail returns an error as one of the release.
func (p postRenderer) fail(err error) error {
	var known *diag.Error
	if errors.As(err, &known) && known.Pos == p.r.Pos { // of failAt
		return err
	}
	return p.failAt("", err)
}

// failAt returns the error of a field of the release, with the path to that: its place would be in a text that nobody
// has seen.
func (p postRenderer) failAt(field string, err error, path ...any) error {
	hint := cmp.Or(diag.HintOf(err), "Its patches find names and values as the chart renders them: compare the two.")
	var known *diag.Error
	for errors.As(err, &known) && known.Err != nil {
		err = known.Err
	}
	if field != "" {
		err = fmt.Errorf("%s: %w", field, err)
	}
	return p.r.FailAt(fmt.Errorf("post-render: %w", err), hint, path...)
}

// reading is what is known of the documents of a text, and the edits that it gets.
type reading struct {
	parts []part
	edits []splice.Edit
}

// read splits a render into documents, with the metadata that they get: or, where kustomize changes them first, with
// the annotation that names their template.
func (p postRenderer) read(text []byte) (reading, error) {
	kustomizes := p.kustomizes()
	names := [kinds]map[string]string{ofManifests: {}, ofHooks: {}}
	var r reading
	source, by := "", 0
	for d, err := range manifest.Documents(text, "") {
		if err != nil {
			return r, err
		}
		if s, ok := sourceOf(d.Bytes()); ok {
			source = s // a file of crds/ may hold further documents
		}
		one := part{kind: p.kindOf(d, source), source: source, start: d.Start + by}
		var edits []splice.Edit
		switch {
		case one.kind == ofCRDs && !isCRD(d):
			edits = []splice.Edit{{Start: d.Start, End: d.End}} // helm-controller leaves it out
		case one.kind == ofCRDs:
			edits, err = p.origin.Edits(d)
		case one.kind == untouched:
		case kustomizes:
			edits, err = metadata.New(nil, map[string]string{filename: source}).Edits(d)
		default:
			edits, err = p.edits(d)
		}
		if err == nil && names[one.kind] != nil {
			err = checkNames(d, source, names[one.kind])
		}
		if err != nil {
			return r, err
		}
		for _, e := range edits {
			by += len(e.Text) - (e.End - e.Start)
		}
		one.end = d.End + by
		r.parts, r.edits = append(r.parts, one), append(r.edits, edits...)
	}
	return r, nil
}

// edits returns the edits of a document that kustomize does not change first. Annotations without an entry go, as they
// do where Helm takes the annotation with the name of the template out again.
func (p postRenderer) edits(d *manifest.Document) ([]splice.Edit, error) {
	have := d.Root().At("metadata", "annotations")
	isEmpty := have.IsMap() && have.Len() == 0 || have.Valid() && have.Type() == manifest.Null
	if !isEmpty || p.all["annotations"] != nil {
		return p.all.Edits(d)
	}
	text, err := metadata.Without(d, filename)
	if err != nil {
		return nil, err
	}
	without, err := manifest.Parse(text)
	if err != nil {
		return nil, err
	}
	edits, err := p.all.Edits(without)
	return []splice.Edit{{Start: d.Start, End: d.End, Text: string(splice.Bytes(text, edits))}}, err
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

// checkNames refuses what kustomize refuses, which adds the labels in helm-controller: objects without kind or name,
// and two of the same name.
func checkNames(d *manifest.Document, source string, seen map[string]string) error {
	if root := d.Root(); root.IsMap() && root.Len() > 0 && root.Get("kind").StringValue() == "" {
		return &diag.Error{Err: fmt.Errorf("what %s renders has no kind, which kustomize refuses", source),
			Hint: "Correct the template, or the values that it takes the kind from."}
	}
	for o := range d.Objects() {
		if o.Node.At("metadata", "name").StringValue() == "" {
			hint := "Name it in the template, or have the values leave it out: no field of the HelmRelease lets Flux install it."
			if o.Annotation("helm.sh/hook") != "" {
				hint = "Set spec.postRenderStrategy to nohooks, and hooks do not go through kustomize."
			}
			return &diag.Error{Hint: hint, Err: fmt.Errorf("%s of %s has no metadata.name, which kustomize refuses: Flux "+
				"does not install the release, because helm-controller adds its labels with kustomize", o.Kind, source)}
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
