package git

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Changes returns a short digest of the files of the work tree that are not as in head, the commit that is checked out:
// of their names and what they hold. Tracked files count anywhere, and files that were never added and are not ignored
// at the paths, which begin with Top. It is "" where there is none. A file of which the index knows that it is
// unchanged is not read. Where it is in doubt whether one has changed, it counts. The digest has 8 bits: enough to
// tell two work trees apart, and too few to try guesses of a secret value in a file against it.
func (r *Repository) Changes(head *Tree, paths ...string) string {
	m := modified{sides: Sides{Top: r.Top, From: head, Head: head}, index: readStaged(filepath.Join(r.dirs.git, "index"))}
	m.folder(head.top, "")
	m.changed = append(m.changed, slices.Collect(maps.Keys(m.index.entries))...)
	for _, path := range paths {
		m.untracked(path)
	}
	if len(m.changed) == 0 {
		return ""
	}
	slices.Sort(m.changed)
	m.changed = slices.Compact(m.changed)
	return m.digest()
}

// modified compares a work tree with the commit that is checked out.
type modified struct {
	sides   Sides
	index   staged   // those that were compared are gone
	changed []string // paths
}

// digest returns the first bits of the digest of the changed files.
func (m *modified) digest() string {
	sum := sha256.New()
	for _, name := range m.changed {
		content, err := workFile(filepath.Join(m.sides.Top, filepath.FromSlash(name)))
		fmt.Fprintf(sum, "%q %t %d\n", name, err == nil, len(content))
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil)[:1])
}

// workFile returns what a file of the work tree holds; of a link, where it leads.
func workFile(file string) ([]byte, error) {
	info, err := os.Lstat(file)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		return []byte(target), err
	case !info.Mode().IsRegular():
		return nil, nil
	}
	return os.ReadFile(file)
}

// folder collects what differs in a folder of the commit.
func (m *modified) folder(f *folder, dir string) {
	entries, err := f.list()
	if err != nil {
		m.changed = append(m.changed, dir)
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.name)
		if e.mode == dirMode {
			m.folder(f.repo.folder(e.hash), name)
		} else if m.file(e, name) {
			m.changed = append(m.changed, name)
		}
	}
}

// untracked collects what at a path no commit has and nothing ignores.
func (m *modified) untracked(name string) {
	rel := m.sides.rel(name)
	info, err := os.Lstat(name)
	_, tracked := m.sides.From.ID(rel)
	switch {
	case err != nil || filepath.Base(name) == marker || tracked != nil && m.sides.isForeign(name):
	case info.IsDir():
		entries, _ := os.ReadDir(name) // what cannot be listed nobody reads
		for _, e := range entries {
			m.untracked(filepath.Join(name, e.Name()))
		}
	case tracked != nil:
		m.changed = append(m.changed, rel)
	}
}

// file reports whether a file of the commit differs. Of a submodule the commit counts that the index names.
func (m *modified) file(e entry, name string) bool {
	staged := m.index.entries[name]
	delete(m.index.entries, name)
	switch {
	case m.index.at != nil && (staged == nil || staged.Hash != e.hash):
		return true
	case e.mode == moduleMode, staged != nil && staged.SkipWorktree:
		return false
	}
	file := filepath.Join(m.sides.Top, filepath.FromSlash(name))
	return !m.index.isAsWritten(staged, file) && !m.sides.SameFile(file)
}
