package kustomize

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// overlay is what a build sees in place of files on disk, or besides them. All keys are absolute paths.
type overlay struct {
	*remotes
	files   map[string][]byte
	folders map[string]*component
	kusts   map[string]*texts // by kustomization file
}

// texts are what is shown for a kustomization at its first, second, ... reading.
type texts struct {
	all  [][]byte
	read int
}

func newOverlay(r *remotes) *overlay {
	return &overlay{r, make(map[string][]byte), make(map[string]*component), make(map[string]*texts)}
}

// text returns what is shown for a path instead of the disk.
func (o *overlay) text(path string) ([]byte, bool) {
	if text, ok := o.file(path); ok {
		return text, true
	}
	t := o.kusts[path]
	if t == nil {
		return nil, false
	}
	t.read++
	return t.all[min(t.read, len(t.all))-1], true
}

// file returns a file that is not on disk.
func (o *overlay) file(path string) ([]byte, bool) {
	if text, ok := o.files[path]; ok {
		return text, true
	}
	text, ok := o.fetched[path]
	return text, ok
}

// step leads from a component to the folder that it mirrors; its zero value leads nowhere.
type step struct{ from, to string }

// behind returns the path that is read for a path, and the step there, which is zero for all that lies in no component. It returns no
// path where nothing is: a component has only its own kustomization.
func (o *overlay) behind(path string) (string, step) {
	for dir, c := range o.folders {
		rel, ok := files.Rel(dir, path)
		if !ok {
			continue
		}
		if filepath.Dir(path) == dir && slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path)) {
			return "", step{}
		}
		return filepath.Join(c.of.dir, rel), step{from: dir, to: c.of.dir}
	}
	return path, step{}
}

// back returns the path in the component of a path in the folder that it mirrors, and other paths as they are.
func (s step) back(path string) string {
	rel, ok := files.Rel(s.to, path)
	if s.to == "" || !ok {
		return path
	}
	return filepath.Join(s.from, rel)
}

// sameClone reports whether a kustomization in the folder from may have a base in the folder to: one that was fetched stays
// in its repository; what lies in another was fetched for itself.
func (o *overlay) sameClone(from, to string) bool {
	return o.around(from) == "" || o.around(to) != ""
}

// plain takes the names of folders that do not exist out of a text.
func (o *overlay) plain(text string) string {
	instead := make(map[string]string)
	for dir, c := range o.folders {
		instead[dir], instead["../"+filepath.Base(dir)] = c.of.dir, "."
		for i := range c.generators {
			instead[fmt.Sprint(generatorName, i)] = "a chart"
		}
	}
	for dir, c := range o.clones {
		instead[dir] = remote.Shown(c.repo.URL) + "/"
	}
	for path, url := range o.urls {
		instead[path], instead[filepath.Base(path)] = remote.Shown(url), remote.Shown(url)
	}
	var names []string
	for name := range instead {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) }) // one may begin another
	for _, name := range names {
		text = strings.ReplaceAll(text, name, instead[name])
	}
	return text
}
