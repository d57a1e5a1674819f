package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// tree is what lies in a folder and below it: charts, the kustomizations that no other one there takes in, and the
// folders of manifests that belong to none of them. Components that none takes in are such folders, too.
type tree struct {
	charts, kustomizations, plain []string
	takes                         map[string][]string // folders that a kustomization takes in, or takes files from
}

// readTree looks at a folder and those below it. What is hidden, as .git, is left out, and so is what is in a chart.
func readTree(top string) (t tree, err error) {
	top = filepath.Clean(top)
	r := treeReader{taken: map[string]bool{}, takes: map[string][]string{}}
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != top && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() && holds(path, "Chart.yaml"):
			t.charts = append(t.charts, path)
			return fs.SkipDir
		case render.IsKustomizationFile(path):
			return r.kustomization(path)
		case d.Type().IsRegular() && isManifest(d.Name()):
			r.files = append(r.files, path)
		}
		return nil
	})
	if err != nil {
		return tree{}, err
	}
	t.kustomizations, t.plain, t.takes = r.roots(), append(r.plain(), r.notTaken(r.components)...), r.takes
	return t, nil
}

// treeReader has what was found of kustomizations and manifests.
type treeReader struct {
	folders    []string            // with a kustomization that can be built
	components []string            // with one that others take in
	taken      map[string]bool     // paths that kustomizations name
	takes      map[string][]string // as a tree has them
	files      []string
}

// kustomization reads which files and folders a kustomization takes in.
func (r *treeReader) kustomization(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	folder := filepath.Dir(path)
	r.takes[folder] = []string{}
	d, err := manifest.Parse(text)
	if err != nil || d == nil {
		r.folders = append(r.folders, folder) // its build reports what is wrong
		return nil
	}
	if d.Root().Get("kind").StringValue() == "Component" {
		r.components = append(r.components, folder)
	} else {
		r.folders = append(r.folders, folder)
	}
	for _, list := range []string{"resources", "components", "bases", "patchesStrategicMerge", "crds", "configurations",
		"transformers", "generators", "validators"} {
		for item := range d.Root().Get(list).Items() {
			r.take(folder, item.StringValue())
		}
	}
	for _, list := range []string{"patches", "patchesJson6902", "replacements"} {
		for item := range d.Root().Get(list).Items() {
			r.take(folder, item.Get("path").StringValue())
		}
	}
	return nil
}

// take records a file or folder that a kustomization takes in.
func (r *treeReader) take(folder, name string) {
	path := filepath.Join(folder, name)
	info, err := os.Stat(path)
	if name == "" || err != nil || path == folder {
		return // it lies in another repository, as it seems
	}
	r.taken[path] = true
	if !info.IsDir() {
		path = filepath.Dir(path)
	}
	if path != folder {
		r.takes[folder] = append(r.takes[folder], path)
	}
}

// notTaken returns those of some folders that no kustomization takes in.
func (r *treeReader) notTaken(folders []string) (out []string) {
	for _, folder := range folders {
		if !r.taken[folder] {
			out = append(out, folder)
		}
	}
	return out
}

// roots returns the folders whose kustomizations no other one takes in. Of those that take each other in it is the
// first one: its build reports that.
func (r *treeReader) roots() []string {
	out, reached := r.notTaken(r.folders), map[string]bool{}
	var reach func(folder string)
	reach = func(folder string) {
		if !reached[folder] {
			reached[folder] = true
			for _, of := range r.takes[folder] {
				reach(of)
			}
		}
	}
	for _, folder := range out {
		reach(folder)
	}
	for _, folder := range r.folders {
		if !reached[folder] {
			reach(folder)
			out = append(out, folder)
		}
	}
	return out
}

// plain returns the folders of manifests without a kustomization, where none takes in a file of them.
func (r *treeReader) plain() (out []string) {
	partly, added := map[string]bool{}, map[string]bool{}
	for _, file := range r.files {
		folder := filepath.Dir(file)
		partly[folder] = partly[folder] || r.taken[file]
	}
	for _, file := range r.files {
		folder := filepath.Dir(file)
		if r.takes[folder] != nil || partly[folder] || added[folder] {
			continue
		}
		added[folder] = true
		out = append(out, folder)
	}
	return out
}
