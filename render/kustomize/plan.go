package kustomize

import (
	"path/filepath"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
)

// plan is what is known of a kustomization before it is built.
type plan struct {
	root      kustomization
	ownSchema bool // a kustomization in the tree brings an OpenAPI schema
}

// kustomization is one kustomization file.
type kustomization struct {
	name string
	kust types.Kustomization
}

// plan reads the kustomization. One that cannot be read is left to kustomize, which says so in its own words.
func (t *tree) plan() (*plan, error) {
	p := &plan{}
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		b, err := t.ReadFile(filepath.Join(t.app, name))
		if err != nil {
			continue
		}
		p.root.name = name
		if err := p.root.kust.Unmarshal(b); err == nil && len(p.root.kust.OpenAPI) > 0 {
			p.ownSchema = true
		}
	}
	return p, nil
}
