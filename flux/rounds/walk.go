package rounds

import (
	"io/fs"
	"path/filepath"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// walk finds the files of manifests that kustomize reads, from one kustomization to those that it names, and builds
// nothing.
type walk struct {
	system files.System
	found  map[string]bool // absolute paths
}

// listed are the fields of a kustomization with files and folders of manifests.
var listed = []string{"resources", "bases", "components", "patchesStrategicMerge", "generators", "transformers"}

// folder adds the files of a folder: those that its kustomization names, or all where it has none.
func (w *walk) folder(dir string) {
	file, text := w.kustomization(dir)
	if file == "" {
		w.all(dir)
		return
	}
	if w.found[file] {
		return
	}
	w.found[file] = true
	d, err := manifest.Parse(text)
	if err != nil {
		return // a build of it fails
	}
	for _, field := range listed {
		for item := range d.Root().Get(field).Items() {
			w.add(dir, item.StringValue())
		}
	}
	for item := range d.Root().Get("patches").Items() {
		w.add(dir, item.Get("path").StringValue())
	}
}

// build adds the files that a Kustomization builds, whose folder it is.
func (w *walk) build(k *objects.Kustomization, dir string) {
	w.folder(dir)
	for _, component := range k.Spec.Components {
		w.add(dir, component)
	}
}

// add adds what a kustomization names: a file, or a folder. What is elsewhere is none of the repository.
func (w *walk) add(dir, name string) {
	if name == "" {
		return
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if filepath.IsAbs(name) {
		path = name
	}
	info, err := w.system.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		w.folder(path)
	default:
		w.found[path] = true
	}
}

// all adds the files below a folder without a kustomization, as the controller generates one for it.
func (w *walk) all(dir string) {
	entries, err := w.system.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch ext := filepath.Ext(path); {
		case e.IsDir():
			w.folder(path)
		case e.Type()&fs.ModeSymlink == 0 && (ext == ".yaml" || ext == ".yml"):
			w.found[path] = true
		}
	}
}

// kustomization returns the kustomization file of a folder; "" where it has none.
func (w *walk) kustomization(dir string) (file string, text []byte) {
	for _, name := range render.KustomizationFiles {
		path := filepath.Join(dir, name)
		if text, err := w.system.ReadFile(path); err == nil {
			return path, text
		}
	}
	return "", nil
}
