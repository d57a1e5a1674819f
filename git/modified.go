package git

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// IsModified reports whether a tracked file of the work tree is not as in head, the commit that is checked out. A file
// of which the index knows that it is unchanged is not read. Where it is in doubt, the answer is yes.
func (r *Repository) IsModified(head *Tree) bool {
	m := modified{sides: Sides{Top: r.Top, From: head}, staged: map[string]*index.Entry{}}
	m.readIndex(filepath.Join(r.dirs.git, "index"))
	return m.folder(head.top, "") || len(m.staged) > 0
}

// modified compares a work tree with the commit that is checked out.
type modified struct {
	sides  Sides
	at     fs.FileInfo             // of the index
	staged map[string]*index.Entry // of the index, by path; those that were compared are gone
}

// readIndex reads the index. Without it, and of the forms of it that are not known here, every file is read.
func (m *modified) readIndex(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // it was only read from
	var all index.Index
	info, err := f.Stat()
	if err != nil || index.NewDecoder(f).Decode(&all) != nil {
		return
	}
	m.at = info
	for _, e := range all.Entries {
		m.staged[e.Name] = e
	}
}

// folder reports whether anything differs in a folder of the commit.
func (m *modified) folder(f *folder, dir string) bool {
	entries, err := f.list()
	if err != nil {
		return true
	}
	for _, e := range entries {
		name := path.Join(dir, e.name)
		differs := false
		if e.mode == dirMode {
			differs = m.folder(f.repo.folder(e.hash), name)
		} else {
			differs = m.file(e, name)
		}
		if differs {
			return true
		}
	}
	return false
}

// file reports whether a file of the commit differs. Of a submodule the commit counts that the index names.
func (m *modified) file(e entry, name string) bool {
	staged := m.staged[name]
	delete(m.staged, name)
	switch {
	case m.at != nil && (staged == nil || staged.Hash != e.hash):
		return true
	case e.mode == moduleMode, staged != nil && staged.SkipWorktree:
		return false
	}
	file := filepath.Join(m.sides.Top, filepath.FromSlash(name))
	return !m.isFresh(staged, file) && !m.sides.SameFile(file)
}

// isFresh reports whether a file is as it was when the index was written. One that was written at the same moment as
// the index may have changed after it.
func (m *modified) isFresh(staged *index.Entry, file string) bool {
	info, err := os.Lstat(file)
	return err == nil && staged != nil && info.ModTime().Equal(staged.ModifiedAt) &&
		uint32(info.Size()) == staged.Size && info.ModTime().Before(m.at.ModTime()) //nolint:gosec // the index has 32 bits
}
