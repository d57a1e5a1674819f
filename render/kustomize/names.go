package kustomize

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// names are the folders and files of a build that do not exist on disk, and what they are called in messages and
// origins.
type names struct {
	clones     map[string]*clone     // by the folder that shows the repository
	urls       map[string]string     // by the file that shows what was fetched
	components map[string]*component // by the folder that shows the rendered charts
}

func newNames() *names { return &names{clones: map[string]*clone{}, urls: map[string]string{}} }

// clone is a repository at a reference, or a chart of a repository of charts.
type clone struct {
	repo      remote.Repository
	dir       string    // on disk, where it was fetched to
	open      io.Closer // nil where nothing is open
	temporary bool      // dir goes with the build
}

// component is a folder that mirrors a kustomization's folder, with charts in it.
type component struct {
	of         *kustomization
	origin     place // of the kustomization
	generators []generator
}

const (
	componentName = "~rollstamp-"
	generatorName = "~generator-"
)

// generator returns the one that a file of the component belongs to, or nil.
func (c *component) generator(file string) *generator {
	for i := range c.generators {
		if file == fmt.Sprint(generatorName, i) {
			return &c.generators[i]
		}
	}
	return nil
}

// plain takes the names of folders that do not exist out of a text.
func (n *names) plain(text string) string {
	shown := make(map[string]string)
	for dir, c := range n.components {
		shown[dir], shown["../"+filepath.Base(dir)] = c.of.dir, "."
		for i := range c.generators {
			shown[fmt.Sprint(generatorName, i)] = "a chart"
		}
	}
	for dir, c := range n.clones {
		shown[dir] = remote.Display(c.repo.URL) + "/"
	}
	for path, url := range n.urls {
		shown[path], shown[filepath.Base(path)] = remote.Display(url), remote.Display(url)
	}
	var paths []string
	for name := range shown {
		paths = append(paths, name)
	}
	slices.SortFunc(paths, func(a, b string) int { return len(b) - len(a) }) // one may begin another
	for _, name := range paths {
		text = strings.ReplaceAll(text, name, shown[name])
	}
	return text
}
