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

// emptyFolder returns a folder without entries, which needs no object.
func emptyFolder(r *Repository) *folder {
	f := &folder{repo: r}
	f.once.Do(func() {})
	return f
}

func (f *folder) list() ([]entry, error) {
	f.once.Do(func() {
		var text []byte
		if text, f.err = f.repo.read(plumbing.TreeObject, f.hash); f.err == nil {
			f.entries, f.err = parseTree(text)
			f.numbers = numbersOf(f.entries)
		}
	})
	return f.entries, f.err
}

// many is from how many entries on they are found by a table: a search would look at a dozen names.
const many = 256

// numbersOf returns the numbers of many entries by their names; nil of few.
func numbersOf(entries []entry) map[string]int {
	if len(entries) < many {
		return nil
	}
	out := make(map[string]int, len(entries))
	for i, e := range entries {
		out[e.name] = i
	}
	return out
}

func (f *folder) find(name string) (entry, error) {
	entries, err := f.list()
	if err != nil {
		return entry{}, err
	}
	if f.numbers != nil {
		i, ok := f.numbers[name]
		if !ok {
			return entry{}, fs.ErrNotExist
		}
		return entries[i], nil
	}
	byName := func(e entry, name string) int { return strings.Compare(e.name, name) }
	i, ok := slices.BinarySearchFunc(entries, name, byName)
	if !ok {
		return entry{}, fs.ErrNotExist
	}
	return entries[i], nil
}
