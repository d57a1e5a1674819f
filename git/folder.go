package git

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// folder returns the folder of that hash, which all trees share.
func (r *Repository) folder(hash plumbing.Hash) *folder {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.folders[hash]
	if f == nil {
		f = &folder{repo: r, hash: hash}
		r.folders[hash] = f
	}
	return f
}

// folder is one tree object, read when it is first asked for.
type folder struct {
	repo    *Repository
	hash    plumbing.Hash
	once    sync.Once
	entries []entry // sorted by name
	err     error
}

func (f *folder) list() ([]entry, error) {
	f.once.Do(func() {
		var text []byte
		if text, f.err = f.repo.read(plumbing.TreeObject, f.hash); f.err == nil {
			f.entries, f.err = parseTree(text)
		}
	})
	return f.entries, f.err
}

func (f *folder) find(name string) (entry, error) {
	entries, err := f.list()
	if err != nil {
		return entry{}, err
	}
	byName := func(e entry, name string) int { return strings.Compare(e.name, name) }
	i, ok := slices.BinarySearchFunc(entries, name, byName)
	if !ok {
		return entry{}, fs.ErrNotExist
	}
	return entries[i], nil
}

// found is what lies at a name.
type found struct {
	entry
	in   module
	path string // behind links
	base string // the last part of the name that was asked for
}

// module is the repository that something lies in: the revision's, or that of a submodule.
type module struct {
	repo *Repository
	top  *folder
	path string // of top in the revision, "" for the revision's own
}

// enter returns the folder that was found, and the repository that its entries lie in.
func (at found) enter() (*folder, module, error) {
	switch at.mode {
	case dirMode:
		return at.in.repo.folder(at.hash), at.in, nil
	case moduleMode:
		top, err := at.in.submodule(at.path, at.hash)
		if err != nil {
			return nil, module{}, err
		}
		return top, module{repo: top.repo, top: top, path: at.path}, nil
	}
	return nil, module{}, fs.ErrNotExist
}
