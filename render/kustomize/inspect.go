package kustomize

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/rollstamp/rollstamp/diag"
)

// inspect reads the kustomization in dir, and refuses one that is not allowed what it asks for.
func inspect(t *tree, dir string) (*kustomization, error) {
	k := &kustomization{dir: dir}
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		raw, err := t.ReadFile(filepath.Join(dir, name))
		if t.refusal != nil {
			return nil, t.refusal
		}
		if err != nil {
			continue // kustomize, too, takes a file that it cannot read for none
		}
		if k.name != "" {
			return nil, diag.Input(diag.Position{File: t.displayPath(dir)},
				fmt.Errorf("open kustomization: both %s and %s", k.name, name), "Keep one of them.")
		}
		k.name, k.raw, k.disk, k.shown = name, raw, raw, t.displayPath(filepath.Join(dir, name))
		if t.edited != nil && dir == t.app {
			k.disk = t.edited.plain
			if t.edited.generated {
				k.shown = t.displayPath(dir)
			}
		}
	}
	if k.name == "" {
		return nil, diag.Input(diag.Position{File: t.displayPath(dir)}, errors.New("open kustomization: no "+
			strings.Join(konfig.RecognizedKustomizationFileNames(), ", ")), "")
	}
	if err := k.kust.Unmarshal(k.raw); err != nil {
		return nil, k.invalid(err)
	}
	k.outdated = k.outdatedFields()
	k.kust.FixKustomization()
	for _, text := range k.inline() {
		if err := checkAliases([]byte(text)); err != nil {
			return nil, k.errorf(text, "read YAML: %w", err)
		}
	}
	for _, entry := range k.kust.PatchesStrategicMerge {
		if _, err := parse([]byte(entry)); err == nil {
			continue
		}
		if err := k.wrongEntry(string(entry), "patchesStrategicMerge"); err != nil {
			return nil, err
		}
	}
	return k, nil
}
