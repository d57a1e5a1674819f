package kustomize

import (
	"context"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// originAnnotation is where kustomize writes which file an object comes from, where buildMetadata asks for it.
const originAnnotation = "config.kubernetes.io/origin"

// trace reports which file each object of a text comes from, by building once more and asking kustomize for it. The
// text itself comes from a build that was not asked: annotations could be copied and counted on the way. Where the two
// builds do not hold the same objects, or the second fails, nothing is reported.
func trace(ctx context.Context, req render.Request, b builder, charts render.Inflater, text []byte) []render.Origin {
	t, err := newTree(ctx, req)
	if err != nil {
		return nil
	}
	f := newFetcher(t)
	defer f.close()
	if t.prepare() != nil || !t.askOrigins() {
		return nil
	}
	p, err := readPlan(t, f)
	if err != nil {
		return nil
	}
	annotated, err := build{b, t, p, inflater{charts, t, f, failures{t, p.read}, req.Once}}.run()
	if err != nil {
		return nil
	}
	return origins(req.Path, text, annotated.text)
}

// askOrigins shows the root's kustomization with buildMetadata: [originAnnotations].
func (t *tree) askOrigins() bool {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		file := filepath.Join(t.app, name)
		text, err := t.ReadFile(file)
		if err != nil {
			continue
		}
		if t.edited != nil {
			text = t.edited.text
		}
		var k types.Kustomization
		if k.Unmarshal(text) != nil {
			return false
		}
		k.FixKustomization()
		if !slices.Contains(k.BuildMetadata, types.OriginAnnotations) {
			k.BuildMetadata = append(k.BuildMetadata, types.OriginAnnotations)
		}
		changed, err := yaml.Marshal(&k)
		if err != nil {
			return false
		}
		if t.edited != nil && t.edited.generated {
			t.edited = &edited{path: file, text: changed, plain: t.edited.plain, generated: true}
			return true
		}
		real, err := t.overlay.System().Real(file)
		if err != nil {
			return false
		}
		t.edited = &edited{path: real, text: changed, plain: text}
		return true
	}
	return false
}

// origins reads the annotations of one text, and attributes them to the objects of the other.
func origins(app string, text, annotated []byte) []render.Origin {
	plain, marked := manifest.NewReader(text), manifest.NewReader(annotated)
	var out []render.Origin
	for {
		a, errA := plain.Next()
		b, errB := marked.Next()
		switch {
		case errA != nil || errB != nil || (a == nil) != (b == nil):
			return nil
		case a == nil:
			return out
		}
		if a.Root().Get("kind").Text() != b.Root().Get("kind").Text() || a.Root().At("metadata",
			"name").Text() != b.Root().At("metadata", "name").Text() {
			return nil
		}
		var origin struct{ Path, Repo, ConfiguredIn string }
		if yaml.Unmarshal(b.Root().At("metadata", "annotations", originAnnotation).Value(), &origin) != nil {
			return nil
		}
		file := origin.Path
		if file == "" {
			file = origin.ConfiguredIn
		}
		switch {
		case origin.Repo != "":
			file = remote.Display(origin.Repo) + "/" + file
		case file != "":
			file = filepath.Join(app, file)
		}
		out = append(out, render.Origin{Offset: a.Start, File: file})
	}
}
