// Package git reads Git repositories without a git program: a revision as a tree of files, straight from the object
// store.
package git

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/rollstamp/rollstamp/diag"
)

// Repository is a Git repository on disk. It is only read: no work tree, no index and no reference is touched, and no
// git program is needed. Environment variables such as GIT_DIR, and replacements (git replace), have no meaning here.
// It may be used from several goroutines at once.
type Repository struct {
	// Top is the folder that a tree is shown in: the work tree's top, or, for a bare repository, its own folder.
	Top  string
	Bare bool

	dirs    dirs
	config  settings
	objects *objects
	refs    *dotgit.DotGit
	// conversion returns how files are shown that are not as they are stored, but for what attributes say of it.
	conversion func() (how string, ok bool)

	mu      sync.Mutex
	folders map[plumbing.Hash]*folder
	modules map[string]*Repository // of submodules, by their folder
	commits map[plumbing.Hash]*commit
	shallow map[plumbing.Hash]bool // commits whose parents were left out of the clone
}

// folder is one tree object, read when it is first asked for.
type folder struct {
	repo    *Repository
	hash    plumbing.Hash
	once    sync.Once
	entries []entry        // sorted by name
	numbers map[string]int // of the entries, where these are many
	err     error

	attributes folderRules
}

// commit is what a commit says of trees and history.
type commit struct {
	hash    plumbing.Hash
	tree    plumbing.Hash
	parents []plumbing.Hash // none where a shallow clone ends
	time    int64           // of the committer, in seconds
}

// Open finds the repository that path lies in, as git does: at path or in the nearest folder above it. Path need not
// exist. What this package cannot read (SHA-256 objects, the reftable format) is refused here with a *diag.Error.
func Open(path string) (*Repository, error) {
	found, err := locate(path)
	if err != nil {
		return nil, err
	}
	return open(found)
}

func open(at dirs) (*Repository, error) {
	config, err := readSettings(at)
	if err != nil {
		return nil, err
	}
	objects, err := openObjects(at.common)
	if err != nil {
		return nil, err
	}
	shallow, err := readShallow(at.common)
	if err != nil {
		return nil, err
	}
	return &Repository{
		Top: at.top, Bare: at.bare, dirs: at, config: config, objects: objects, refs: references(at),
		conversion: conversionOf(at, config),
		folders:    map[plumbing.Hash]*folder{}, modules: map[string]*Repository{},
		commits: map[plumbing.Hash]*commit{}, shallow: shallow,
	}, nil
}

// Close closes the files that are open.
func (r *Repository) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := []error{r.objects.close()}
	for _, m := range r.modules {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// Remotes lists the remotes by name.
func (r *Repository) Remotes() []Remote { return slices.Clone(r.config.remotes) }

// fail returns an error about this repository.
func (r *Repository) fail(err error, hint string) error {
	return &diag.Error{Exit: diag.ExitInput, Pos: diag.Position{File: r.Top}, Err: err, Hint: hint}
}

// MissingError is an object that the repository refers to and does not hold.
type MissingError struct {
	Hash     string
	Promised bool // the clone is partial: the remote has promised to have it
	Shallow  bool // the clone is shallow: the history ends somewhere
}

func (e *MissingError) Error() string {
	switch {
	case e.Promised:
		return "object " + e.Hash + " was left out of this partial clone"
	case e.Shallow:
		return "object " + e.Hash + " is not in this shallow clone"
	}
	return "object " + e.Hash + " is missing in the repository"
}

func (r *Repository) missing(hash plumbing.Hash) error {
	e := &MissingError{Hash: hash.String(), Promised: r.config.partial, Shallow: len(r.shallow) > 0}
	hint := "Run git fsck to see what is wrong."
	switch {
	case e.Promised:
		hint = "Fetch what is missing with git fetch --refetch --no-filter, or clone without --filter."
	case e.Shallow:
		hint = "Fetch more of the history with git fetch --unshallow."
	}
	return r.fail(e, hint)
}

// read returns an object's content, which is not to be changed.
func (r *Repository) read(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, error) {
	got, b, err := r.objects.read(hash)
	switch {
	case errors.Is(err, plumbing.ErrObjectNotFound):
		return nil, r.missing(hash)
	case err != nil:
		return nil, r.fail(fmt.Errorf("read object %s: %w", hash, err), "Run git fsck to see what is wrong.")
	case kind != plumbing.AnyObject && got != kind:
		return nil, r.fail(fmt.Errorf("object %s is a %s, not a %s", hash, got, kind), "")
	}
	return b, nil
}
