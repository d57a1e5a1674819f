package release

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/rollstamp/rollstamp/files"
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

// build has kustomize change a group of documents, one entry of spec.postRenderers after the other, and appends what
// comes of them with its metadata. Groups that are not post-rendered are appended as they are.
func (p postRenderer) build(ctx context.Context, w *writer, group []part) error {
	if len(group) == 0 || group[0].kind == ofCRDs || group[0].kind == untouched {
		for _, one := range group {
			w.add(one)
		}
		return nil
	}
	stream := joined(group)
	var err error
	for _, step := range p.r.Spec.PostRenderers {
		if step.Kustomize == nil {
			continue
		}
		k := kustomization{APIVersion: "kustomize.config.k8s.io/v1beta1", Kind: "Kustomization",
			Resources: []string{"helm-output.yaml"}, Patches: step.Kustomize.Patches, Images: step.Kustomize.Images}
		if stream, err = p.kustomized(ctx, k, stream); err != nil {
			return err
		}
	}
	templates := fileOf(group, w.from)
	add := metadataOf(p.r)
	for d, err := range manifest.Documents(stream, "") {
		if err != nil {
			return err
		}
		if err := w.rebuilt(d, templates, add); err != nil {
			return err
		}
	}
	return nil
}

// joined returns documents as one stream.
func joined(group []part) []byte {
	var stream []byte
	for _, one := range group {
		if !bytes.HasPrefix(one.text, separator) {
			stream = append(stream, separator...)
		}
		stream = append(stream, one.text...)
		if !bytes.HasSuffix(one.text, []byte("\n")) {
			stream = append(stream, '\n')
		}
	}
	return stream
}

var separator = []byte("---\n")

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

// rebuilt appends a document that kustomize has printed, with metadata instead of the annotation of its template.
func (w *writer) rebuilt(d *manifest.Document, templates map[string]string, add metadata) error {
	text := bytes.TrimPrefix(d.Bytes(), separator)
	annotations := d.Root().At("metadata", "annotations")
	source := annotations.Get(filename).StringValue()
	w.origins = append(w.origins, render.Origin{Offset: len(w.text), File: templates[source]})
	w.text = append(w.text, separator...)
	if source != "" {
		w.text = append(append(append(w.text, sourceMark...), source...), '\n')
		path := []string{"metadata", "annotations", filename}
		if annotations.Len() == 1 {
			path = path[:2]
		}
		edits, err := splice.Delete(d.Root(), path)
		if err != nil {
			return err
		}
		splice.Sort(edits)
		text = bytes.TrimPrefix(splice.Part(d.Text(), edits, d.Start, d.End), separator)
	}
	plain, err := manifest.Parse(text)
	if err != nil {
		return err
	}
	changed, _, err := add.addTo(plain)
	if err != nil {
		return err
	}
	w.text = append(w.text, changed...)
	return nil
}
