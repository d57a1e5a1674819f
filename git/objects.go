package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/rollstamp/rollstamp/diag"
)

// objects are the stores that a repository's objects lie in: its own, and those that it borrows from. go-git's storage
// is not safe for several goroutines, hence the lock.
type objects struct {
	mu     sync.Mutex
	stores []*filesystem.ObjectStorage
}

// maxAlternates bounds stores that borrow from stores, as git does.
const maxAlternates = 5

func openObjects(git string) (*objects, error) {
	o := &objects{}
	seen := map[string]bool{}
	return o, o.add(filepath.Join(git, "objects"), seen, 0)
}

// add opens a folder of objects and what it borrows from. go-git would look for these at each object that is not in
// the first, and read their indexes again.
func (o *objects) add(dir string, seen map[string]bool, depth int) error {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if seen[dir] {
		return nil
	}
	seen[dir] = true
	store := dotgit.New(ownObjects{osfs.New(filepath.Dir(dir)), dir})
	o.stores = append(o.stores, filesystem.NewObjectStorageWithOptions(store, cache.NewObjectLRUDefault(),
		filesystem.Options{KeepDescriptors: true}))
	borrowed, err := alternates(dir)
	if err != nil || depth == maxAlternates {
		return err
	}
	for _, path := range borrowed {
		if err := o.add(path, seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// alternates lists the folders that a store borrows from. One that is not there is an error: git would fail later, and
// less clearly.
func alternates(dir string) ([]string, error) {
	file := filepath.Join(dir, "info", "alternates")
	text, err := readSmall(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(file, err)
	}
	var out []string
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		path := strings.TrimSpace(lines.Text())
		if path == "" || path[0] == '#' {
			continue
		}
		if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil, diag.Input(diag.Position{File: file},
				errors.New("the repository borrows objects from "+path+", which is not there"),
				"Make that folder available, or clone with --dissociate.")
		}
		out = append(out, path)
	}
	return out, nil
}

// ownObjects is the folder of a store without what it borrows, and with its objects in a folder of any name.
type ownObjects struct {
	billy.Filesystem
	dir string // of the objects, without symbolic links
}

// at returns where a path lies, as seen from the folder around the objects.
func (f ownObjects) at(path string) string {
	if below, ok := inObjects(path); ok {
		return filepath.Base(f.dir) + below
	}
	return path
}

// inObjects returns what comes after the folder of objects in a path.
func inObjects(path string) (below string, ok bool) {
	below, ok = strings.CutPrefix(path, "objects")
	return below, ok && (below == "" || below[0] == filepath.Separator)
}

// Open opens objects as git does. The file system of go-billy asks about each folder on the way, for each object again.
// A file that is open is asked for again by its own name: go-git does that for each large object of a pack.
func (f ownObjects) Open(path string) (billy.File, error) {
	if filepath.Base(path) == "alternates" {
		return nil, fs.ErrNotExist
	}
	if strings.HasPrefix(path, f.dir+string(filepath.Separator)) {
		return osfs.Default.Open(path)
	}
	if below, ok := inObjects(path); ok {
		return osfs.Default.Open(f.dir + below)
	}
	return f.Filesystem.Open(path)
}

func (f ownObjects) ReadDir(path string) ([]fs.FileInfo, error) {
	return f.Filesystem.ReadDir(f.at(path))
}
func (f ownObjects) Stat(path string) (fs.FileInfo, error) { return f.Filesystem.Stat(f.at(path)) }

// read returns an object's type and content; plumbing.ErrObjectNotFound where no store has it.
func (o *objects) read(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kind, b, err := o.find(hash)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		for _, s := range o.stores {
			s.Reindex() // git may have packed again since
		}
		kind, b, err = o.find(hash)
	}
	// A file of the store is no file of the tree, which an application may do without.
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("read object %s: %v", hash, err) //nolint:errorlint // see above
	}
	return kind, b, err
}

func (o *objects) find(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	for _, s := range o.stores {
		obj, err := s.EncodedObject(plumbing.AnyObject, hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return 0, nil, err
		}
		r, err := obj.Reader()
		if err != nil {
			return 0, nil, err
		}
		b := make([]byte, obj.Size())
		_, err = io.ReadFull(r, b)
		return obj.Type(), b, errors.Join(err, r.Close())
	}
	return 0, nil, plumbing.ErrObjectNotFound
}

// withPrefix lists the objects whose hashes begin with these bytes.
func (o *objects) withPrefix(prefix []byte) ([]plumbing.Hash, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []plumbing.Hash
	for _, s := range o.stores {
		hashes, err := s.HashesWithPrefix(prefix)
		if err != nil {
			return nil, err
		}
		out = append(out, hashes...)
	}
	return out, nil
}

func (o *objects) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var errs []error
	for _, s := range o.stores {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// references returns the place of a repository's references, which further work trees share but for their HEAD.
func references(at dirs) *dotgit.DotGit {
	if at.git == at.common {
		return dotgit.New(osfs.New(at.git))
	}
	return dotgit.New(dotgit.NewRepositoryFilesystem(osfs.New(at.git), osfs.New(at.common)))
}
