package git

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // what Git names contents by
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/files"
)

// Sides are two states of a repository: a revision, and another one or the work tree. What lies at a path is the same
// on both where Git calls it by one name, so no file of a revision is read for it. Paths are absolute and begin with
// Top. Where it is in doubt whether something is the same, the answer is no.
type Sides struct {
	Top  string // of the repository, as the paths begin
	From *Tree
	To   *Tree // nil for the work tree
	// Head is what is checked out in the work tree: ignored files that neither it nor From has are not the repository's.
	Head *Tree

	untouched *untouched // nil where nothing is known; see WithIndex
}

// Old returns the files of the side From.
func (s Sides) Old() files.System { return files.Mount{At: s.Top, Tree: s.From} }

// New returns the files of the side To.
func (s Sides) New() files.System {
	if s.To == nil {
		return files.Disk{}
	}
	return files.Mount{At: s.Top, Tree: s.To}
}

// Same reports whether a file or folder is the same on both sides, with all that lies in it.
func (s Sides) Same(path string) bool {
	if s.To != nil {
		rel := s.rel(path)
		a, errA := s.From.ID(rel)
		b, errB := s.To.ID(rel)
		return errA == nil && errB == nil && a == b && (s.sameAttributes(rel) || s.sameShown(path))
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return false
	case !info.IsDir():
		return s.SameFile(path)
	}
	return s.SameFolder(path).IsSame
}

// Folder is a folder of the work tree beside what it was.
type Folder struct {
	IsSame  bool // on both sides, with all that lies in it
	IsPlain bool // and all of that lies there itself: no link is in it, on either side

	entries []fs.DirEntry
}

// Has reports whether something of a name lies in a folder that IsSame.
func (f Folder) Has(name string) bool {
	return slices.ContainsFunc(f.entries, func(e fs.DirEntry) bool { return e.Name() == name })
}

// SameFolder compares a folder of the work tree. It may end with the first that is not the same.
func (s Sides) SameFolder(path string) Folder {
	if entries, ok := s.untouched.folder(s.rel(path), path); ok {
		return Folder{IsSame: true, IsPlain: true, entries: entries}
	}
	now, err := s.sameEntries(path)
	if err != nil {
		return Folder{}
	}
	out := Folder{IsSame: true, IsPlain: true, entries: now}
	for _, e := range now {
		in := filepath.Join(path, e.Name())
		if !e.IsDir() {
			out.IsPlain = out.IsPlain && e.Type()&fs.ModeSymlink == 0
			if !s.SameFile(in) {
				return Folder{}
			}
			continue
		}
		below := s.SameFolder(in)
		if !below.IsSame {
			return Folder{}
		}
		out.IsPlain = out.IsPlain && below.IsPlain
	}
	return out
}

// sameAttributes reports whether the same is said of how a path is checked out, in the folders above it.
func (s Sides) sameAttributes(rel string) bool {
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		name := path.Join(dir, attributesFile)
		a, errA := s.From.ID(name)
		b, errB := s.To.ID(name)
		if a != b || (errA == nil) != (errB == nil) {
			return false
		}
		if dir == "." {
			return true
		}
	}
}

// sameShown reports whether what both revisions store in the same way is checked out in the same way, too.
func (s Sides) sameShown(name string) bool {
	if entries, err := s.To.ReadDir(s.rel(name)); err == nil {
		return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !s.Same(filepath.Join(name, e.Name())) })
	}
	a, errA := s.From.shown(s.rel(name))
	b, errB := s.To.shown(s.rel(name))
	info, err := s.To.Lstat(s.rel(name))
	isLink := err == nil && info.Mode()&fs.ModeSymlink != 0
	return isLink || errA == nil && errB == nil && bytes.Equal(a, b)
}

// SameFile reports whether a file is the same on both sides, or a link leads to the same path.
func (s Sides) SameFile(path string) bool {
	if s.To != nil {
		return s.Same(path)
	}
	rel := s.rel(path)
	want, err := s.From.ID(rel)
	if err != nil {
		return false
	}
	if s.untouched.has(rel, path, want) {
		return true
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	var content []byte
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return false
		}
		content = []byte(filepath.ToSlash(target))
	} else if content, err = os.ReadFile(path); err != nil {
		return false
	}
	sum := sha1.New() //nolint:gosec // as above
	fmt.Fprintf(sum, "blob %d\x00", len(content))
	sum.Write(content)
	if hex.EncodeToString(sum.Sum(nil)) == want {
		return true
	}
	shown, err := s.From.shown(rel)
	return err == nil && info.Mode().IsRegular() && bytes.Equal(shown, content)
}

// IsDirect reports whether something lies at a path of a revision To, and no link leads there.
func (s Sides) IsDirect(path string) bool {
	there, isDirect := s.To.Direct(s.rel(path))
	return there != nil && isDirect
}

// SameNames reports whether a folder holds the same names on both sides, whatever the files under them hold.
func (s Sides) SameNames(dir string) bool {
	_, err := s.sameEntries(dir)
	return err == nil
}

// errOtherNames is that a folder holds other names on one side than on the other, or other kinds of files.
var errOtherNames = errors.New("other names")

// isGit reports whether an entry of a folder is Git's own.
func isGit(e fs.DirEntry) bool { return e.Name() == marker }

// sameEntries returns what a folder holds on both sides, as far as names and kinds say it.
func (s Sides) sameEntries(dir string) ([]fs.DirEntry, error) {
	now, err := s.New().ReadDir(dir)
	old, errOld := s.Old().ReadDir(dir)
	if err = errors.Join(err, errOld); err != nil {
		return nil, err
	}
	now, old = slices.DeleteFunc(now, isGit), slices.DeleteFunc(old, isGit)
	alike := func(a, b fs.DirEntry) bool { return a.Name() == b.Name() && a.Type() == b.Type() }
	if !slices.EqualFunc(now, old, alike) {
		return nil, errOtherNames
	}
	return now, nil
}

// ChangedFiles returns the files in a folder that are not the same on both sides, sorted. Folders that skip reports
// true of are left out, and so is what only the work tree has and Git ignores.
func (s Sides) ChangedFiles(dir string, skip func(dir string) bool) []string {
	names := map[string][2]fs.DirEntry{}
	for i, system := range []files.System{s.Old(), s.New()} {
		entries, err := system.ReadDir(dir)
		if err != nil {
			continue // it is not on this side
		}
		for _, e := range entries {
			both := names[e.Name()]
			both[i] = e
			names[e.Name()] = both
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		path, old, now := filepath.Join(dir, name), names[name][0], names[name][1]
		isDir := old != nil && old.IsDir() || now != nil && now.IsDir()
		switch {
		case name == ".git", isDir && skip(path), old == nil && s.isForeign(path):
		case s.To != nil && old != nil && now != nil && s.Same(path):
		case isDir:
			out = append(out, s.ChangedFiles(path, skip)...)
			if old != nil && now != nil && old.IsDir() != now.IsDir() {
				out = append(out, path)
			}
		case old == nil || now == nil || !s.SameFile(path):
			out = append(out, path)
		}
	}
	return out
}

// rel returns a path as the trees know it.
func (s Sides) rel(path string) string {
	if rel, ok := files.Rel(s.Top, path); ok {
		return filepath.ToSlash(rel)
	}
	rel, err := filepath.Rel(s.Top, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}
