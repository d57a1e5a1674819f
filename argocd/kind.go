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

// words are what Argo CD calls the kinds of a source.
var words = map[render.Kind]string{render.KindHelm: "Helm", render.KindKustomize: "Kustomize", render.KindPlain: "Directory"}

// kind returns the kind that a source says it is; where it says none, what its folder holds.
func (b Build) kind(s Source) (render.Kind, error) {
	var said []render.Kind
	if s.Kustomize != nil {
		said = append(said, render.KindKustomize)
	}
	if s.Helm != nil {
		said = append(said, render.KindHelm)
	}
	if s.Directory != nil {
		said = append(said, render.KindPlain)
	}
	switch len(said) {
	case 0:
		return Detect(files.OrDisk(b.Files), b.Dir)
	case 1:
		return said[0], nil
	}
	names := make([]string, len(said))
	for i, k := range said {
		names[i] = words[k]
	}
	return "", diag.Usage(errors.New("multiple application sources defined: "+strings.Join(names, ",")), "Keep the options of one of them.")
}

// kustomizations are the names of a kustomization's file.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// Detect reports what a folder holds, as Argo CD does: where there is a kustomization beside a chart, it counts.
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
	for _, name := range kustomizations {
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

// shown returns a path as a person of the repository knows it.
func (b Build) shown(path string) string {
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
