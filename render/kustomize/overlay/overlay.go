// Package overlay is the file system of one build: files that are only read, and, where there is nothing, what was
// fetched or made for the build.
//
//	the build asks for                  and reads
//	app/web.yaml                        app/web.yaml
//	app/kustomization.yaml              a text that is shown in its place, perhaps another at each reading
//	app/~url-0                          a text that only the build has
//	~git-0/base/web.yaml                base/web.yaml of a tree that is mounted at ~git-0
//	~mirror-0/kustomization.yaml        a text that only the build has
//	~mirror-0/web.yaml                  app/web.yaml, which ~mirror-0 mirrors
//	~mirror-1/web.yaml                  ~git-0/base/web.yaml, where it mirrors a folder of that tree
package overlay

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/files"
)

// FS is what one build sees. All paths are absolute. It is not for several goroutines.
type FS struct {
	system  files.System
	roots   []string // of the trees
	texts   map[string][]byte
	layer   Layer
	reading map[string]int // how often a file of layer.Shown was read
}

// Layer is what is made for a build of files that are there.
type Layer struct {
	Files   map[string][]byte   // that only the build has
	Mirrors map[string]string   // folders that only the build has, by the folder that each shows
	Shown   map[string][][]byte // what a file is at its first, second, ... reading; the last text stays
	Hidden  []string            // names of files that no mirror shows
}

// New shows a system of files.
func New(system files.System) *FS {
	return &FS{system: system, texts: map[string][]byte{}}
}

// Mount shows a tree in a folder that is not there.
func (f *FS) Mount(root string, tree fs.ReadLinkFS) {
	f.system = files.Add(files.Mount{At: root, Tree: tree}, f.system)
	f.roots = append(f.roots, root)
}

// Add shows a text as a file that is not there.
func (f *FS) Add(path string, text []byte) { f.texts[path] = text }

// Use shows a layer in place of the one before.
func (f *FS) Use(layer Layer) { f.layer, f.reading = layer, map[string]int{} }

// System returns the files with all trees, and without the texts, mirrors and shown files.
func (f *FS) System() files.System { return f.system }

// HasTrees reports whether a tree is mounted.
func (f *FS) HasTrees() bool { return len(f.roots) > 0 }

// Root returns the folder of the innermost tree that a path lies in, or "". A chart that was fetched for a
// kustomization of a repository lies in that repository.
func (f *FS) Root(path string) (root string) {
	for _, dir := range f.roots {
		if files.Within(dir, path) && len(dir) > len(root) {
			root = dir
		}
	}
	return root
}

// Texts returns all files that only the build has, in the order of their paths.
func (f *FS) Texts() [][]byte {
	var out [][]byte
	for _, texts := range []map[string][]byte{f.layer.Files, f.texts} {
		for _, path := range slices.Sorted(maps.Keys(texts)) {
			out = append(out, texts[path])
		}
	}
	return out
}

// Has reports whether a file is one that only the build has.
func (f *FS) Has(path string) bool {
	_, ok := f.lookup(path)
	return ok
}

// Read returns the text that is shown for a path, which for a shown file counts as a reading; not ok for all other
// paths.
func (f *FS) Read(path string) (text []byte, ok bool) {
	if text, ok := f.lookup(path); ok {
		return text, true
	}
	all := f.layer.Shown[path]
	if len(all) == 0 {
		return nil, false
	}
	n := f.reading[path]
	f.reading[path]++
	return all[min(n, len(all)-1)], true
}

func (f *FS) lookup(path string) ([]byte, bool) {
	if text, ok := f.layer.Files[path]; ok {
		return text, true
	}
	text, ok := f.texts[path]
	return text, ok
}

// Resolve returns the path that is read for a path, and the mirror on the way, which is zero for all that lies in
// none. It returns no path where nothing is.
func (f *FS) Resolve(path string) (string, Mirror) {
	for dir, of := range f.layer.Mirrors {
		rel, ok := files.Rel(dir, path)
		switch {
		case !ok:
			continue
		case slices.Contains(f.layer.Hidden, rel):
			return "", Mirror{}
		}
		return filepath.Join(of, rel), Mirror{dir, of}
	}
	return path, Mirror{}
}

// Mirror is a folder that shows another one.
type Mirror struct{ dir, of string }

// Path returns the path in the mirror of a path in the folder that it shows, and other paths as they are.
func (m Mirror) Path(path string) string {
	rel, ok := files.Rel(m.of, path)
	if m.dir == "" || !ok {
		return path
	}
	return filepath.Join(m.dir, rel)
}
