package kustomize

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/rollstamp/rollstamp/files"
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

// way is how a path in the overlay leads to another, and in the end to the disk.
type way []step

// step replaces a folder by the one that stands behind it.
type step struct {
	from, to string
	clone    bool
}

// behind returns the path that stands behind a path, and the way there, which is empty for a path on disk.
// It returns no path where nothing is: a component has only its own kustomization.
func (o *overlay) behind(path string) (string, way) {
	var w way
	for dir, c := range o.folders {
		rel, ok := files.Rel(dir, path)
		if !ok {
			continue
		}
		if filepath.Dir(path) == dir && slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path)) {
			return "", nil
		}
		w = append(w, step{from: dir, to: c.of.dir})
		path = filepath.Join(c.of.dir, rel)
		break
	}
	root := o.around(path)
	if root == "" {
		return path, w
	}
	rel, _ := files.Rel(root, path)
	return filepath.Join(o.clones[root].dir, rel), append(w, step{from: root, to: o.clones[root].dir, clone: true})
}

// around returns the folder of the innermost clone that a path leads into, or "": a chart that was fetched for a kustomization of a clone
// lies in that clone.
func (o *overlay) around(path string) (root string) {
	for dir := range o.clones {
		if files.Within(dir, path) && len(dir) > len(root) {
			root = dir
		}
	}
	return root
}

// back returns the path in the overlay of a path that stands behind it, as far as the way led there.
func (w way) back(path string) string {
	for _, s := range slices.Backward(w) {
		rel, ok := files.Rel(s.to, path)
		if !ok {
			return path
		}
		path = filepath.Join(s.from, rel)
	}
	return path
}

// clone returns the folder of the clone at the end of the way, or "".
func (w way) clone() string {
	if len(w) > 0 && w[len(w)-1].clone {
		return w[len(w)-1].to
	}
	return ""
}

// sameClone reports whether a kustomization in the folder from may have a base in the folder to: one that was fetched stays
// in its repository; what lies in another was fetched for itself.
func (o *overlay) sameClone(from, to string) bool {
	_, a := o.behind(from)
	_, b := o.behind(to)
	return a.clone() == "" || b.clone() != ""
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
		instead[dir] = shownURL(c.repo.url) + "/"
	}
	for path, url := range o.urls {
		instead[path], instead[filepath.Base(path)] = shownURL(url), shownURL(url)
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
