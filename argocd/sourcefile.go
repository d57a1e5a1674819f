package argocd

import (
	"errors"
	"io/fs"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

const sourceFile = ".argocd-source.yaml"

// Patch returns spec.source, as JSON, with the changes from the application's folder: .argocd-source.yaml and then
// .argocd-source-APP.yaml, with Argo CD's name of the application. They are JSON merge patches. Their fields for the
// location of the source are ignored, and the source itself is not changed.
func Patch(system files.System, root, dir, app string, source map[string]any) (map[string]any, error) {
	out, err := applyPatches(Build{Root: root, Dir: dir, AppName: app, Files: files.OrDisk(system)}, source)
	if err != nil {
		return nil, err
	}
	for _, field := range []string{"chart", "path", "repoURL", "targetRevision"} {
		delete(out, field)
		if value, has := source[field]; has {
			out[field] = value
		}
	}
	return out, nil
}

const patchHint = "It holds fields of spec.source, in YAML."

func applyPatches(b Build, source tree) (tree, error) {
	source = mergePatch(source, nil)
	names := []string{sourceFile}
	if b.AppName != "" {
		names = append(names, ".argocd-source-"+b.AppName+".yaml")
	}
	for _, name := range names {
		file := filepath.Join(b.Dir, name)
		info, err := b.Files.Stat(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
			continue
		}
		patch, err := b.readPatch(file)
		if err != nil {
			return nil, diag.Input(diag.Position{File: name}, err, patchHint)
		}
		source = mergePatch(source, patch)
	}
	return source, nil
}

func (b Build) readPatch(file string) (tree, error) {
	if real, err := b.Files.Real(file); err != nil || !files.Within(b.Root, real) {
		return nil, errors.New("read: leads out of the repository")
	}
	text, err := b.Files.ReadFile(file)
	if err != nil {
		return nil, errors.New("read: cannot be read")
	}
	text, err = yaml.YAMLToJSON(text)
	if err != nil {
		return nil, errors.New("parse YAML: not well-formed")
	}
	if string(text) == "null" {
		return nil, nil
	}
	patch, err := parseTree(text)
	if err != nil {
		return nil, errors.New("want a mapping")
	}
	return patch, nil
}
