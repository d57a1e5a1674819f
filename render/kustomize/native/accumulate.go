package native

import (
	"path/filepath"

	"sigs.k8s.io/kustomize/api/types"
)

// place is how a kustomization is come by.
type place struct {
	shown   string // its folder, from the one that is built
	changed bool   // what is above changes every object
}

// accumulate adds the objects of a kustomization to those that are there, and does what its fields say: a component's
// to all of them, any other's to an empty list.
func (b *builder) accumulate(k *Kustomization, l *list, at place) error {
	b.out.Visited = append(b.out.Visited, k)
	if err := understand(k); err != nil {
		return err
	}
	at.changed = at.changed || changesAll(k)
	for _, entry := range k.Resources {
		if err := b.resource(k, l, at, entry); err != nil {
			return err
		}
	}
	if err := l.checkNames(); err != nil {
		return err
	}
	if err := b.generate(k, l, filepath.Join(at.shown, k.Name)); err != nil {
		return err
	}
	for _, entry := range k.Components {
		below, err := b.below(k, entry, types.ComponentKind)
		if err != nil {
			return err
		}
		if err := b.accumulate(below, l, place{filepath.Join(at.shown, entry), at.changed}); err != nil {
			return err
		}
	}
	return b.transform(k, l)
}

// resource adds the objects of an entry of resources.
func (b *builder) resource(k *Kustomization, l *list, at place, entry string) error {
	below, err := b.below(k, entry, types.KustomizationKind)
	if err != nil {
		return err
	}
	at.shown = filepath.Join(at.shown, entry)
	if below != nil {
		own := &list{}
		if err := b.accumulate(below, own, at); err != nil {
			return err
		}
		l.add(own.objects...)
		return nil
	}
	text, err := b.src.Load(k, entry)
	if err != nil {
		return failed("reading a file", err)
	}
	objects, err := b.readFile(text, at.shown, at.changed)
	if err != nil {
		return err
	}
	l.add(objects...)
	return nil
}

// below returns the kustomization that an entry names, nil where it is the file of a resource.
func (b *builder) below(k *Kustomization, entry, kind string) (*Kustomization, error) {
	below, err := b.src.Below(k, entry)
	switch {
	case err != nil:
		return nil, failed("finding a folder", err)
	case below == nil && kind == types.ComponentKind:
		return nil, decline("a component that is a file")
	case below != nil && below.Kind != kind:
		return nil, decline("a component among resources, or no component among components")
	}
	return below, nil
}

// understand declines the fields that are left to the library.
func understand(k *Kustomization) error {
	for _, f := range []struct {
		name string
		used bool
	}{
		{"helmCharts", len(k.HelmCharts) > 0},
		{"generators", len(k.Generators) > 0},
		{"transformers", len(k.Transformers) > 0},
		{"validators", len(k.Validators) > 0},
		{"openapi", len(k.OpenAPI) > 0},
		{"crds", len(k.Crds) > 0},
		{"configurations", len(k.Configurations) > 0},
		{"vars", len(k.Vars) > 0},
	} {
		if f.used {
			return decline(f.name)
		}
	}
	if k.CheckEmpty() != nil || len(k.EnforceFields()) > 0 {
		return decline("a kustomization that is empty or of another version")
	}
	return nil
}

// changesAll reports whether a kustomization changes every object.
func changesAll(k *Kustomization) bool {
	return k.Namespace != "" || k.NamePrefix != "" || k.NameSuffix != "" || len(k.Labels) > 0 || len(k.CommonLabels) > 0 ||
		len(k.CommonAnnotations) > 0 || len(k.Replacements) > 0
}
