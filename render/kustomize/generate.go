package kustomize

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/failure"
)

// lay lays what Flux adds over the application's kustomization, or over one that is generated for a folder without. It
// does what kustomize-controller writes to its copy of the source.
func (t *tree) lay(o *render.KustomizeOverlay) error {
	if o == nil {
		return nil
	}
	text, name, err := t.ownKustomization()
	if err != nil {
		return err
	}
	k := types.Kustomization{TypeMeta: types.TypeMeta{APIVersion: types.KustomizationVersion,
		Kind: types.KustomizationKind}}
	file := filepath.Join(t.app, name)
	switch {
	case name != "":
		if err := yaml.Unmarshal(text, &k); err != nil {
			k := kustomization{shown: t.displayPath(file), raw: text, disk: text}
			return k.invalid(err)
		}
		if len(k.Resources) == 0 {
			k.BuildMetadata = []string{types.OriginAnnotations} // so that it is not empty
		}
	default:
		file = filepath.Join(t.app, konfig.DefaultKustomizationFileName())
		if k.Resources, err = t.manifests(); err != nil {
			return err
		}
		if len(k.Resources) == 0 {
			k.Namespace = "_placeholder" // likewise
		}
	}
	if err := t.addTo(&k, o); err != nil {
		return diag.Input(diag.Position{File: t.req.Path}, err, "")
	}
	changed, err := yaml.Marshal(k)
	if err != nil {
		return diag.Input(diag.Position{File: t.displayPath(file)}, errors.New("write kustomization: it cannot be encoded"),
			"")
	}
	t.edited = &edited{path: file, text: changed, plain: text, generated: name == ""}
	if real, err := t.overlay.System().Real(file); err == nil {
		t.edited.path = real
	}
	return nil
}

// refuseCharts refuses charts, which kustomize-controller renders in no kustomization.
func (p *plan) refuseCharts(o *render.KustomizeOverlay) error {
	if o == nil || len(p.withCharts) == 0 {
		return nil
	}
	k := p.withCharts[0]
	i := slices.IndexFunc(k.generators, func(g generator) bool { return g.chart != nil })
	chart := k.generators[i].chart
	return diag.Input(k.at(chart.entry),
		fmt.Errorf("render chart %s: kustomize-controller renders no charts (must specify --enable-helm)", chart.Name),
		"Apply the chart with a HelmRelease.")
}

// ownKustomization returns the first kustomization file of the application; no name where it has none.
func (t *tree) ownKustomization() (text []byte, name string, err error) {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		file := filepath.Join(t.app, name)
		if !t.Exists(file) || t.IsDir(file) {
			continue
		}
		text, err := t.ReadFile(file)
		if err != nil {
			return nil, "", diag.Input(diag.Position{File: t.displayPath(file)},
				fmt.Errorf("read kustomization: %w", files.Cause(err)), "")
		}
		return text, name, nil
	}
	return nil, "", nil
}

// manifests returns what is generated for a folder without a kustomization: its files of YAML, in all folders below it,
// and of these the ones with a kustomization of their own.
func (t *tree) manifests() (found []string, err error) {
	err = t.Walk(t.app, func(path string, info fs.FileInfo, err error) error {
		switch {
		case err != nil:
			return diag.Input(diag.Position{File: t.displayPath(path)}, fmt.Errorf("read: %w", files.Cause(err)), "")
		case path == t.app:
			return nil
		case info.IsDir():
			if !t.hasKustomization(path) {
				return nil
			}
			found = append(found, "."+strings.TrimPrefix(path, t.app))
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		text, err := t.ReadFile(path)
		if err == nil {
			err = t.readable(text)
		}
		if t.refusal != nil {
			return t.refusal
		}
		if err != nil {
			return diag.Input(diag.Position{File: t.displayPath(path), Line: brokenLine(text, "")},
				fmt.Errorf("failed to decode Kubernetes YAML: %w", err),
				"Exclude it with .sourceignore or spec.ignore of the source, or write a kustomization.yaml.")
		}
		found = append(found, "."+strings.TrimPrefix(path, t.app))
		return nil
	})
	return found, err
}

func (t *tree) hasKustomization(dir string) bool {
	return slices.ContainsFunc(konfig.RecognizedKustomizationFileNames(), func(name string) bool {
		file := filepath.Join(dir, name)
		return t.Exists(file) && !t.IsDir(file)
	})
}

// readable reports why kustomize cannot read a file of resources; it panics at some.
func (t *tree) readable(text []byte) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("kustomize panics at it")
		}
	}()
	if _, err := parse(text); err != nil {
		values := failure.NewSecrets()
		values.AddText(string(text))
		return errors.New(values.Mask(failure.OneLine(failure.Text(err.Error()))))
	}
	return nil
}

// addTo adds the fields of an overlay to a kustomization, each as the controller does.
func (t *tree) addTo(k *types.Kustomization, o *render.KustomizeOverlay) error {
	if o.Namespace != "" {
		k.Namespace = o.Namespace
	}
	if o.NamePrefix != "" {
		k.NamePrefix = o.NamePrefix
	}
	if o.NameSuffix != "" {
		k.NameSuffix = o.NameSuffix
	}
	for i, raw := range o.Patches {
		var p types.Patch
		if err := json.Unmarshal(raw, &p); err != nil {
			return fmt.Errorf("read spec.patches[%d]: %s", i, failure.OneLine(failure.Text(err.Error())))
		}
		k.Patches = append(k.Patches, types.Patch{Patch: p.Patch, Target: p.Target})
	}
	for _, path := range o.Components {
		if !isLocal(path) {
			return fmt.Errorf("component path '%s' must be local and relative", path)
		}
		if o.IgnoreMissingComponents && !t.Exists(filepath.Join(t.app, path)) {
			continue
		}
		k.Components = append(k.Components, path)
	}
	for _, image := range o.Images {
		setImage(k, image)
	}
	if len(o.BuildMetadata) > 0 {
		k.BuildMetadata = o.BuildMetadata
	}
	return nil
}

// setImage adds an image, or sets what it names in the entry that is there. Tag and digest are one setting.
func setImage(k *types.Kustomization, image render.Image) {
	i := slices.IndexFunc(k.Images, func(one types.Image) bool { return one.Name == image.Name })
	if i < 0 {
		k.Images = append(k.Images, types.Image{Name: image.Name, NewName: image.NewName, NewTag: image.NewTag,
			Digest: image.Digest})
		return
	}
	if image.NewName != "" {
		k.Images[i].NewName = image.NewName
	}
	if image.NewTag != "" || image.Digest != "" {
		k.Images[i].NewTag, k.Images[i].Digest = image.NewTag, image.Digest
	}
}

// isLocal reports whether the path of a component is relative and no address.
func isLocal(path string) bool {
	for _, prefix := range []string{
		"git::", "gh:", "ssh://", "https://", "http://", "git@", "github.com:", "github.com/",
	} {
		if len(prefix) < len(path) && strings.EqualFold(path[:len(prefix)], prefix) {
			return false
		}
	}
	return !filepath.IsAbs(path) && !filepath.IsAbs(strings.TrimPrefix(strings.ToLower(path), "file://"))
}
