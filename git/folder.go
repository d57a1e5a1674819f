package git

import (
	"io/fs"
	"slices"
	"strings"

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
