package kustomize

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/edit"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// prepare changes the application's kustomization as the request asks for it.
func (t *tree) prepare() error {
	if err := t.lay(t.req.Kustomize.Overlay); err != nil {
		return err
	}
	return t.edit(t.req.Kustomize.Edits)
}

// edit changes the application's kustomization, as kustomize edit would with one command after the other. Where the
// kustomization cannot be read, that is left to the build.
func (t *tree) edit(edits *render.KustomizeEdits) error {
	if edits == nil || edit.IsEmpty(edits) {
		return nil
	}
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		file := filepath.Join(t.app, name)
		text, err := t.ReadFile(file)
		if err != nil {
			continue
		}
		var k types.Kustomization
		if k.Unmarshal(text) != nil {
			return t.refusal
		}
		k.FixKustomization()
		if err := edit.Apply(&k, edits, edit.Folder{Path: t.app, Glob: t.Glob, IsRemote: mayBeRemote}); err != nil {
			return diag.Input(diag.Position{File: t.displayPath(file)}, fmt.Errorf("edit kustomization: %w", err),
				edit.HintOf(err))
		}
		changed, err := yaml.Marshal(&k)
		if err != nil {
			return diag.Input(diag.Position{File: t.displayPath(file)},
				errors.New("edit kustomization: it cannot be written again"), "")
		}
		real, err := t.overlay.System().Real(file)
		if err != nil {
			return diag.Input(diag.Position{File: t.displayPath(file)},
				fmt.Errorf("edit kustomization: %w", files.Cause(err)), "")
		}
		t.edited = &edited{path: real, text: changed, plain: text}
		return nil
	}
	return t.refusal
}

// mayBeRemote reports whether an entry that is no file names something to fetch.
func mayBeRemote(entry string) bool {
	_, ok := remote.Parse(entry)
	return ok || strings.Contains(entry, "://")
}
