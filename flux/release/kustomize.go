package release

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/metadata"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// filename is the annotation by which Helm 4 knows what an object came from after its post-renderer. Patches see it.
const filename = "postrenderer.helm.sh/postrender-filename"

// kustomization is the one that helm-controller writes for an entry of spec.postRenderers.
type kustomization struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Resources  []string        `json:"resources"`
	Patches    []objects.Patch `json:"patches,omitempty"`
	Images     []objects.Image `json:"images,omitempty"`
}

// build has kustomize change the documents of a render, and returns the text that comes of it, with its origins.
func (p postRenderer) build(
	ctx context.Context, out *render.Output, r reading,
) (text []byte, origins []render.Origin, err error) {
	w := writer{old: out.Text, from: out.Origins}
	for k := range kinds {
		group := r.of(k)
		if k == ofCRDs || k == untouched || len(group) == 0 {
			w.copy(group)
			continue
		}
		stream, err := p.changed(ctx, joined(out.Text, group))
		if err != nil {
			return nil, nil, err
		}
		templates := fileOf(group, out.Origins)
		for d, err := range manifest.Documents(stream, "") {
			if err == nil {
				err = w.add(d, templates, p.all)
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return w.text, w.origins, nil
}

// of returns the documents of a kind.
func (r reading) of(k kind) (group []part) {
	for _, one := range r.parts {
		if one.kind == k {
			group = append(group, one)
		}
	}
	return group
}

// changed returns a stream after all entries of spec.postRenderers, in their order.
func (p postRenderer) changed(ctx context.Context, stream []byte) ([]byte, error) {
	for i, step := range p.r.Spec.PostRenderers {
		if step.Kustomize == nil {
			continue
		}
		k := kustomization{APIVersion: "kustomize.config.k8s.io/v1beta1", Kind: "Kustomization",
			Resources: []string{"helm-output.yaml"}, Patches: step.Kustomize.Patches, Images: step.Kustomize.Images}
		made, err := p.kustomized(ctx, k, stream)
		if err != nil {
			field, path := fmt.Sprintf("spec.postRenderers[%d].kustomize", i), []any{"postRenderers", i, "kustomize"}
			if at := p.failing(ctx, k, stream); at >= 0 {
				field, path = fmt.Sprintf("%s.patches[%d]", field, at), append(path, "patches", at)
			}
			return nil, p.failAt(field, err, path...)
		}
		stream = made
	}
	return stream, nil
}

// failing returns which patch of a kustomization fails: the first without which it can be built; -1 where none is to
// blame.
func (p postRenderer) failing(ctx context.Context, k kustomization, stream []byte) int {
	patches := k.Patches
	for i := range patches {
		if k.Patches = patches[:i+1]; ctx.Err() == nil {
			if _, err := p.kustomized(ctx, k, stream); err != nil {
				return i
			}
		}
	}
	return -1
}

// kustomized builds a kustomization of a stream, in memory.
func (p postRenderer) kustomized(ctx context.Context, k kustomization, stream []byte) ([]byte, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	tree, err := files.NewMemory(map[string][]byte{"kustomization.yaml": text, k.Resources[0]: stream})
	if err != nil {
		return nil, err
	}
	at := filepath.Join(string(filepath.Separator), "helm-release", p.r.Namespace, p.r.Name)
	out, err := p.kustomize.Render(ctx, render.Request{
		Path: at, Files: files.Mount{At: at, Tree: tree}, Once: true,
		Kustomize: render.KustomizeOptions{LoadRestrictor: "LoadRestrictionsNone", Reorder: "none"},
	})
	if err != nil {
		return nil, err
	}
	return out.Text, nil
}

// joined returns documents of a text as one stream.
func joined(text []byte, group []part) []byte {
	var stream []byte
	for _, one := range group {
		d := text[one.start:one.end]
		if !bytes.HasPrefix(d, separator) {
			stream = append(stream, separator...)
		}
		stream = append(stream, d...)
		if !bytes.HasSuffix(d, []byte("\n")) {
			stream = append(stream, '\n')
		}
	}
	return stream
}

// fileOf returns the files of templates, by the names that Helm has for them.
func fileOf(group []part, origins []render.Origin) map[string]string {
	out := make(map[string]string, len(group))
	i := 0
	for _, one := range group {
		for i < len(origins) && origins[i].Offset < one.start {
			i++
		}
		if i < len(origins) && origins[i].Offset < one.end {
			out[one.source] = origins[i].File
		}
	}
	return out
}

// writer puts documents together to a text with origins.
type writer struct {
	text    []byte
	origins []render.Origin
	old     []byte
	from    []render.Origin // of the old text, ascending
}

// copy appends documents of the old text.
func (w *writer) copy(group []part) {
	i := 0
	for _, one := range group {
		for ; i < len(w.from) && w.from[i].Offset < one.end; i++ {
			if o := w.from[i]; o.Offset >= one.start {
				o.Offset += len(w.text) - one.start
				w.origins = append(w.origins, o)
			}
		}
		w.text = append(w.text, w.old[one.start:one.end]...)
	}
}

// add appends a document that kustomize has printed, with metadata instead of the annotation of its template.
func (w *writer) add(d *manifest.Document, templates map[string]string, set metadata.Set) error {
	text := bytes.TrimPrefix(d.Bytes(), separator)
	source := d.Root().At("metadata", "annotations", filename).StringValue()
	w.origins = append(w.origins, render.Origin{Offset: len(w.text), File: templates[source]})
	w.text = append(w.text, separator...)
	if source != "" {
		w.text = append(append(append(w.text, sourceMark...), source...), '\n')
		changed, err := metadata.Without(d, filename)
		if err != nil {
			return err
		}
		text = bytes.TrimPrefix(changed, separator)
	}
	plain, err := manifest.Parse(text)
	if err != nil {
		return err
	}
	edits, err := set.Edits(plain)
	if err != nil {
		return err
	}
	w.text = append(w.text, splice.Bytes(text, edits)...)
	return nil
}
