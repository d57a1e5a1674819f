package files

import (
	"io/fs"
	"path/filepath"
	"sync"
)

// Unlinked shows a system's files, and remembers which folders no link leads to or through: whoever asks where the
// files of thousands of folders lie has the same folders above them looked at once. It is for one run, in which links
// stay as they are, and may be used from several goroutines.
type Unlinked struct {
	System

	mu    sync.Mutex
	known map[string]bool // absolute folders without links

	here func() (string, error) // the working folder
}

// NewUnlinked returns a view of a system.
func NewUnlinked(system System) *Unlinked {
	here := sync.OnceValues(func() (string, error) { return filepath.Abs(".") })
	return &Unlinked{System: system, known: map[string]bool{}, here: here}
}

// Abs is filepath.Abs, and asks once for the working folder.
func (u *Unlinked) Abs(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	here, err := u.here()
	if err != nil {
		return "", err
	}
	return filepath.Join(here, path), nil
}

// Real is System's.
func (u *Unlinked) Real(path string) (string, error) {
	if u.KnowsFolder(path) {
		return path, nil
	}
	if !filepath.IsAbs(path) || filepath.Clean(path) != path || !u.isUnlinked(filepath.Dir(path)) {
		return u.System.Real(path)
	}
	info, err := u.System.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return u.System.Real(path)
	}
	if info.IsDir() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.known[path] = true
	}
	return path, nil
}

// ReadDir is System's. What a folder without links lists as a folder is one, too.
func (u *Unlinked) ReadDir(path string) ([]fs.DirEntry, error) {
	entries, err := u.System.ReadDir(path)
	dir, absErr := u.Abs(path)
	if err != nil || absErr != nil || !u.isUnlinked(dir) {
		return entries, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, e := range entries {
		if e.IsDir() {
			u.known[filepath.Join(dir, e.Name())] = true
		}
	}
	return entries, nil
}

// KnowsFolder reports whether a path is one of a folder that no link leads to, as far as that was asked for.
func (u *Unlinked) KnowsFolder(path string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.known[path]
}

// isUnlinked reports whether a folder is where its path says.
func (u *Unlinked) isUnlinked(dir string) bool {
	if u.KnowsFolder(dir) {
		return true
	}
	if real, err := u.System.Real(dir); err != nil || real != dir {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.known[dir] = true
	return true
}
