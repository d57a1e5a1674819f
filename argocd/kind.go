package argocd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// kindNames are Argo CD's names for the kinds of a source.
var kindNames = map[render.Kind]string{render.KindHelm: "Helm", render.KindKustomize: "Kustomize",
	render.KindPlain: "Directory"}

// kind returns the kind whose options a source has, or else the one of its folder's files.
func (b Build) kind(s Source) (render.Kind, error) {
	var kinds []render.Kind
	if s.Kustomize != nil {
		kinds = append(kinds, render.KindKustomize)
	}
	if s.Helm != nil {
		kinds = append(kinds, render.KindHelm)
	}
	if s.Directory != nil {
		kinds = append(kinds, render.KindPlain)
	}
	switch len(kinds) {
	case 0:
		return Detect(files.OrDisk(b.Files), b.Dir)
	case 1:
		return kinds[0], nil
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = kindNames[k]
	}
	return "", diag.Usage(errors.New("multiple application sources defined: "+strings.Join(names, ",")),
		"Keep the options of one of them.")
}

// CheckFolder returns the error of a call whose options are for another kind of source than its folder's files are.
func (c *Call) CheckFolder() error {
	wants := map[render.Kind]bool{render.KindHelm: c.Source.Helm != nil, render.KindKustomize: c.Source.Kustomize != nil}
	if !wants[c.Kind] {
		return nil
	}
	system := files.OrDisk(c.Files)
	isChart, isKustomization := isFile(system, filepath.Join(c.Dir, "Chart.yaml")), kustomization(system, c.Dir) != ""
	if c.Kind == render.KindHelm && isChart || c.Kind == render.KindKustomize && isKustomization {
		return nil
	}
	has := "has neither a Chart.yaml nor a kustomization.yaml"
	switch {
	case isKustomization:
		has = "is a kustomization"
	case isChart:
		has = "is a Helm chart"
	}
	return diag.Input(diag.Position{}, fmt.Errorf("%s %s, and the options are those of %s", c.display(c.Dir), has,
		article[c.Kind]), "Take them out, or leave the folder out.")
}

// Detect returns the kind of a folder as Argo CD determines it: a kustomization takes precedence over a chart.
func Detect(system files.System, dir string) (render.Kind, error) {
	system = files.OrDisk(system)
	info, err := system.Stat(dir)
	if err != nil || !info.IsDir() {
		return "", diag.Input(diag.Position{File: dir}, errors.New("find the application: no such folder"), "")
	}
	if name := kustomization(system, dir); name != "" {
		return render.KindKustomize, nil
	}
	if isFile(system, filepath.Join(dir, "Chart.yaml")) {
		return render.KindHelm, nil
	}
	return render.KindPlain, nil
}

// kustomization returns the name of the folder's kustomization file, or "".
func kustomization(system files.System, dir string) string {
	for _, name := range render.KustomizationFiles {
		if isFile(system, filepath.Join(dir, name)) {
			return name
		}
	}
	return ""
}

func isFile(system files.System, path string) bool {
	info, err := system.Stat(path)
	return err == nil && !info.IsDir()
}

// display returns a path relative to the repository, for messages.
func (b Build) display(path string) string {
	if rel, ok := files.Rel(b.Root, path); ok {
		return filepath.ToSlash(rel)
	}
	for name, folder := range b.Refs {
		if rel, ok := files.Rel(folder, path); ok {
			return "$" + name + "/" + filepath.ToSlash(rel)
		}
	}
	return fmt.Sprintf("%s outside of the repository", filepath.Base(path))
}

// NativeFields returns the fields of a source with options of what Argo CD renders itself, of which it has one at most.
func NativeFields() []string { return []string{"helm", "kustomize", "directory"} }

// KindOfField returns the kind of a source that the options in a native field are of.
func KindOfField(field string) render.Kind {
	return map[string]render.Kind{"helm": render.KindHelm, "kustomize": render.KindKustomize,
		"directory": render.KindPlain}[field]
}
