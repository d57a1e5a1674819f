package kustomize

import (
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
)

// mayRename reports whether a kustomization could change the kinds or names of objects in a way that a layout does not
// follow. Patches that merge keep them, unless an option says otherwise.
func (l locator) mayRename(k *kustomization) bool {
	if len(k.kust.Transformers) > 0 {
		return true
	}
	return slices.ContainsFunc(slices.Concat(k.kust.Patches, k.kust.PatchesJson6902), func(p types.Patch) bool {
		return p.Options != nil && (p.Options.AllowNameChange || p.Options.AllowKindChange) ||
			l.operationsRename(l.inlineOr(k, p.Patch, p.Path))
	}) || slices.ContainsFunc(k.kust.Replacements, func(r types.ReplacementField) bool {
		return l.replacementRenames(k, r)
	})
}

// inlineOr returns a text, or that of the file that is named instead; nil where it cannot be read.
func (l locator) inlineOr(k *kustomization, text, path string) []byte {
	if path == "" {
		return []byte(text)
	}
	b, err := l.system.ReadFile(filepath.Join(k.dir, path))
	if err != nil {
		return nil
	}
	return b
}

// operationsRename reports whether a patch holds operations on what identifies an object, or cannot be read.
func (l locator) operationsRename(patch []byte) bool {
	if patch == nil {
		return true
	}
	doc, err := manifest.Parse(patch)
	if err != nil {
		return true
	}
	for operation := range doc.Root().Items() {
		switch path := strings.Trim(operation.Get("path").Text(), "/"); path {
		case "", "apiVersion", "kind", "metadata", "metadata/name":
			return true
		}
	}
	return false
}

// replacementRenames reports whether a replacement writes into what identifies an object, or cannot be read.
func (l locator) replacementRenames(k *kustomization, r types.ReplacementField) bool {
	all := []types.Replacement{r.Replacement}
	if r.Path != "" {
		text := l.inlineOr(k, "", r.Path)
		var one types.Replacement
		if text == nil || yaml.Unmarshal(text, &all) != nil && yaml.Unmarshal(text, &one) != nil {
			return true
		}
		all = append(all, one)
	}
	return slices.ContainsFunc(all, func(r types.Replacement) bool {
		return slices.ContainsFunc(r.Targets, func(t *types.TargetSelector) bool {
			return t == nil || slices.ContainsFunc(t.FieldPaths, func(path string) bool {
				return slices.Contains([]string{"apiVersion", "kind", "metadata", "metadata.name"}, path)
			})
		})
	})
}
