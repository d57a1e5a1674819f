package git

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// workTree is what a work tree shows of how this machine checks out: settings and filters of the user and the system
// take part in that, which nothing here reads. It is looked at only for files that are not as they are stored.
type workTree struct {
	repo  *Repository
	once  sync.Once
	index staged
}

// InWorkTree returns the tree with files as the work tree of the repository shows them, or would: what is checked out
// and unchanged there is read there.
func (t *Tree) InWorkTree() *Tree {
	out := *t
	out.work = &workTree{repo: t.repo}
	return &out
}

func (w *workTree) staged() staged {
	w.once.Do(func() { w.index = readStaged(filepath.Join(w.repo.dirs.git, "index")) })
	return w.index
}

// checkedOut returns the file of the work tree where it is an unchanged checkout of a content that is made another by
// that, or may be. Converted is what is known to become of the content.
func (w *workTree) checkedOut(at found, stored, converted []byte, attrs attributes) (b []byte, ok bool) {
	file := filepath.Join(w.repo.Top, filepath.FromSlash(at.path))
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	filtered := attrs["filter"] != noAttribute || isFiltered(stored)
	if info.Size() == int64(len(converted)) && !filtered {
		return nil, false
	}
	b, err = os.ReadFile(file)
	if err != nil || attrs == nil && !filtered && !bytes.Contains(b, []byte("\r\n")) {
		return nil, false
	}
	all := w.staged()
	e := all.entries[at.path]
	return b, e != nil && e.Hash == at.hash && all.isFresh(e, file)
}

// writesCarriage reports whether this machine writes CR LF into a file that no attribute says it of: the index has the
// size of the file that was checked out. Without that the repository's own settings decide.
func (w *workTree) writesCarriage(at found, stored []byte, onlyText bool) bool {
	file := filepath.Join(w.repo.Top, filepath.FromSlash(at.path))
	info, err := os.Lstat(file)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return w.repo.config.carriage
	case info.Size() == int64(len(stored)):
		return false
	}
	if now, err := os.ReadFile(file); err == nil && !bytes.Contains(now, []byte("\r\n")) {
		return false
	}
	if e := w.staged().entries[at.path]; e != nil && e.Size > 0 {
		if e.Hash != at.hash {
			if stored, err = w.repo.read(plumbing.BlobObject, e.Hash); err != nil {
				return w.repo.config.carriage
			}
		}
		written := withCarriage(stored, carriage, onlyText)
		if len(written) != len(stored) {
			return int(e.Size) == len(written)
		}
	}
	return w.repo.config.carriage
}

// filters reports whether a filter of that name made something else of a file that is not in the work tree as the
// revision has it.
func (w *workTree) filters(at found) bool {
	e := w.staged().entries[at.path]
	if e == nil {
		return false
	}
	stored, err := w.repo.read(plumbing.BlobObject, e.Hash)
	return err != nil || int(e.Size) != len(stored)
}
