package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/rollstamp/rollstamp/files"
)

// untouched is what the index knows of the files of a work tree that nobody touched since: they need not be read to be
// compared with a revision.
type untouched struct {
	from     *Tree
	index    func() staged
	isSparse func() bool // some files are not checked out

	mu    sync.Mutex
	alike map[string]bool // by folder: the index and the revision have the same attributes there and above
}

// WithIndex returns the sides with what the index of the repository knows of the work tree.
func (s Sides) WithIndex() Sides {
	if s.To == nil && s.From != nil {
		name := filepath.Join(s.From.repo.dirs.git, "index")
		index := sync.OnceValue(func() staged { return readStaged(name) })
		s.untouched = &untouched{from: s.From, alike: map[string]bool{}, index: index,
			isSparse: sync.OnceValue(func() bool { return slices.ContainsFunc(index().sorted, isSkipped) })}
	}
	return s
}

// LeavesOut reports whether the work tree lacks files at a path, or below it, because it is a sparse checkout. It is
// known of sides with an index.
func (s Sides) LeavesOut(path string) bool {
	if s.untouched == nil || !s.untouched.isSparse() {
		return false
	}
	return slices.ContainsFunc(s.untouched.index().below(s.rel(path)), func(e *index.Entry) bool {
		if !isSkipped(e) {
			return false
		}
		isThere, err := files.Exists(nil, filepath.Join(s.Top, filepath.FromSlash(e.Name)))
		return !isThere && err == nil
	})
}

// isSkipped reports whether a sparse checkout leaves a file out.
func isSkipped(e *index.Entry) bool { return e.SkipWorktree }

// has reports whether a file of the work tree is an untouched checkout of a content, and the revision says the same of
// how it is checked out.
func (u *untouched) has(rel, file, content string) bool {
	if u == nil {
		return false
	}
	e := u.index().entries[rel]
	return e != nil && e.Mode.IsRegular() && e.Hash.String() == content && u.isAlike(path.Dir(rel)) &&
		u.index().isAsWritten(e, file)
}

// folder returns what lies in a folder of the work tree that is an untouched checkout of the one that the revision has
// there, with all that lies below it and without a link; false where that is not known. No object of the revision is
// read for it: a folder's name in Git follows from the names of what lies in it, which the index has.
func (u *untouched) folder(rel, dir string) ([]fs.DirEntry, bool) {
	if u == nil {
		return nil, false
	}
	if !u.isAlike(path.Dir(rel)) {
		return nil, false
	}
	want, err := u.from.ID(rel)
	if err != nil {
		return nil, false
	}
	staged, ok := u.index().folder(rel)
	if !ok || staged.hash.String() != want {
		return nil, false
	}
	return u.checkedOut(staged, dir)
}

// checkedOut returns what lies in a folder of the work tree that holds what the index has there, as it was written.
func (u *untouched) checkedOut(staged stagedFolder, dir string) ([]fs.DirEntry, bool) {
	entries, err := os.ReadDir(dir)
	entries = slices.DeleteFunc(entries, isGit)
	if err != nil || len(entries) != len(staged.entries) {
		return nil, false
	}
	for i, e := range entries { // both are sorted by name
		want, at := staged.entries[i], filepath.Join(dir, e.Name())
		switch {
		case e.Name() != want.name, e.IsDir() != (want.file == nil):
			return nil, false
		case want.file != nil && !u.index().isAsWritten(want.file, at):
			return nil, false
		case want.file == nil:
			if _, ok := u.checkedOut(want.below, at); !ok {
				return nil, false
			}
		}
	}
	return entries, true
}

// isAlike reports whether the index and the revision have the same files of attributes in a folder and those above it.
func (u *untouched) isAlike(dir string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.isAlikeIn(dir)
}

func (u *untouched) isAlikeIn(dir string) bool {
	known, is := u.alike[dir]
	if is {
		return known
	}
	name := path.Join(dir, attributesFile)
	hash, err := u.from.ID(name)
	e := u.index().entries[name]
	alike := e == nil && errors.Is(err, fs.ErrNotExist) || e != nil && err == nil && e.Hash.String() == hash
	if alike && dir != "." {
		alike = u.isAlikeIn(path.Dir(dir))
	}
	u.alike[dir] = alike
	return alike
}
