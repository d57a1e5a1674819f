// Package workspace holds the files that an engine's objects name by address and revision: repositories on this
// machine and elsewhere, and charts.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
)

// Version says which files of a repository on this machine are meant.
type Version int

// The versions.
const (
	WorkTree  Version = iota // what lies on disk, whatever revision is asked for
	Committed                // the revision that is asked for
	// Merged is the revision that is asked for, but what lies on disk for branches that the disk's changes are to be
	// merged into: the default one, the one that is checked out, and Base.
	Merged
)

// Puller fetches charts from repositories (https) and registries (oci).
type Puller interface {
	Pull(ctx context.Context, repository, name, version string) (archive []byte, err error)

	// PullArtifact fetches what a repository of a registry holds under a reference.
	PullArtifact(ctx context.Context, repository string, ref Reference) (*Artifact, error)
}

// Cache has charts that were fetched before, and asks no network.
type Cache interface {
	Cached(repository, name, version string) (archive []byte)
	CachedArtifact(repository string, ref Reference) *Artifact
}

// Repositories finds the files of repositories by their addresses: on this machine, and elsewhere only where that is
// allowed. It may be used from several goroutines at once.
type Repositories struct {
	Version  Version
	Network  bool          // the network is allowed
	Hosts    network.Hosts // that it is allowed for
	CacheDir string        // where fetched repositories are kept
	Charts   Puller        // nil: charts of repositories are refused
	Cache    Cache         // of charts that may be taken without the network; nil is none
	Base     string        // of Merged: the revision that the changes are to be merged into; "" is none
	// Instead is read in place of the work tree at its Root: the files of a revision.
	Instead *Checkout

	mu      sync.Mutex
	local   []local
	opened  map[string]*git.Repository // by the folder
	fetched map[string]*git.Repository // by address and revision
	known   map[string]*Checkout       // likewise
	errs    map[string]error
}

// head is the name of what is checked out, and in a source of the default branch.
const head = "HEAD"

// local is a repository on this machine.
type local struct {
	url, dir string
	found    bool // it is around a file, and nobody has named it
}

// Add has the repository with that address read in a folder on this machine. The first that was added for an address
// counts.
func (r *Repositories) Add(address, dir string) error {
	real, err := files.RealPath(nil, dir)
	if err != nil {
		return diag.Usage(fmt.Errorf("find the repository %s: %w", dir, files.Cause(err)), "")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.local = append(r.local, local{url: address, dir: real})
	return nil
}

// AddAround adds the repository that a file lies in, under the addresses of its remotes. There need not be one.
func (r *Repositories) AddAround(file string) {
	repo, err := git.Open(file)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened == nil {
		r.opened = map[string]*git.Repository{}
	}
	if r.opened[repo.Top] != nil {
		_ = repo.Close()
		return
	}
	r.opened[repo.Top] = repo
	for _, remote := range repo.Remotes() {
		for _, address := range remote.URLs {
			r.local = append(r.local, local{url: address, dir: repo.Top, found: true})
		}
	}
}

// Close closes the repositories that are open.
func (r *Repositories) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, all := range []map[string]*git.Repository{r.opened, r.fetched} {
		for _, repo := range all {
			errs = append(errs, repo.Close())
		}
	}
	return errors.Join(errs...)
}

// Find returns the files of a repository at a revision: a branch, a tag, a full hash, a range of versions, or HEAD or
// "" for the default branch.
func (r *Repositories) Find(ctx context.Context, address, rev string) (*Checkout, error) {
	return r.FindRevision(ctx, address, Revision{Name: rev})
}

// Revision is one as Argo CD's sources name it.
type Revision struct {
	Name      string // as Find takes it
	TagPrefix string // of the tags that a version or a range of versions is looked for in; "" is all
}

// FindRevision is Find for a revision with a prefix of tags.
func (r *Repositories) FindRevision(ctx context.Context, address string, rev Revision) (*Checkout, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := rev.key(address)
	if c, err := r.known[key], r.errs[key]; c != nil || err != nil {
		return c, err
	}
	c, err := r.find(ctx, address, rev)
	if r.known == nil {
		r.known, r.errs = map[string]*Checkout{}, map[string]error{}
	}
	if ctx.Err() == nil {
		r.known[key], r.errs[key] = c, err
	}
	return c, err
}

func (rev Revision) key(address string) string {
	return address + "\n" + rev.TagPrefix + "\n" + rev.Name
}

func (r *Repositories) find(ctx context.Context, address string, rev Revision) (*Checkout, error) {
	if dir := r.at(address); dir != "" {
		return r.onDisk(address, dir, rev)
	}
	if !r.Network {
		shown := redact.URL(address)
		return nil, &diag.Error{Exit: diag.ExitSource,
			Err:  fmt.Errorf("read %s: it is no repository on this machine, and the network is not allowed", shown),
			Hint: "Name a clone of it with --repo " + shown + "=FOLDER, or allow the network with --allow network."}
	}
	source := git.Source{Address: address, Revision: rev.Name, Versions: true, TagPrefix: rev.TagPrefix}
	repo, commit, err := git.Fetch(r.Hosts.Within(ctx), source, r.CacheDir)
	if err != nil {
		return nil, err
	}
	if r.fetched == nil {
		r.fetched = map[string]*git.Repository{}
	}
	r.fetched[rev.key(address)] = repo
	tree, err := repo.Tree(commit)
	if err != nil {
		return nil, err
	}
	at := virtual(address, commit)
	return &Checkout{URL: address, Root: at, Revision: commit, Files: files.Mount{At: at, Tree: tree}}, nil
}

// onDisk returns the files of a repository that is on this machine.
func (r *Repositories) onDisk(address, dir string, asked Revision) (*Checkout, error) {
	repo := r.open(dir)
	rev := asked.Name
	if repo != nil && asked.TagPrefix != "" {
		rev = git.Tagged(repo.Tags(), asked.TagPrefix, rev)
	}
	if is, assumed := r.readsWorkTree(repo, rev); is {
		c := r.workTree(address, dir, repo)
		c.Assumed = assumed
		return c, nil
	}
	if repo == nil {
		return nil, diag.Input(diag.Position{File: dir},
			errors.New("not the top of a Git repository, so it has no revisions"),
			"Leave --revisions out to read the files as they are.")
	}
	commit, err := resolve(repo, rev)
	if err != nil {
		return nil, err
	}
	tree, err := repo.Tree(commit)
	if err != nil {
		return nil, err
	}
	return &Checkout{URL: address, Root: repo.Top, Revision: commit, Files: files.Mount{At: repo.Top, Tree: tree}}, nil
}

// readsWorkTree reports whether a revision of a repository, nil where a folder is none, is read as it lies on disk.
// Assumed says that it is for want of the revision.
func (r *Repositories) readsWorkTree(repo *git.Repository, rev string) (is, assumed bool) {
	switch {
	case repo == nil:
		return r.Version != Committed, r.Version == Merged && rev != "" && rev != head
	case repo.Bare && !r.standsFor(repo.Top) || r.Version == Committed:
		return false, false
	case r.Version == WorkTree || rev == "" || rev == head:
		return true, false
	}
	commit, err := resolve(repo, rev)
	if err != nil {
		return !repo.IsFixed(rev), true
	}
	return !repo.IsFixed(rev) && r.isTarget(repo, commit), false
}

// isTarget reports whether a commit is at the tip of a branch that changes are to be merged into.
func (r *Repositories) isTarget(repo *git.Repository, commit string) bool {
	names := []string{head, r.Base}
	if main, err := repo.DefaultBranch(); err == nil {
		names = append(names, main)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		other, err := repo.Resolve(name)
		return name != "" && err == nil && other == commit
	})
}

// standsFor reports whether files stand in for the work tree of a repository.
func (r *Repositories) standsFor(top string) bool {
	if r.Instead == nil {
		return false
	}
	root, err := filepath.EvalSymlinks(r.Instead.Root)
	return err == nil && root == top
}

// workTree returns the files of a folder as they lie on disk, or what stands in for them.
func (r *Repositories) workTree(address, dir string, repo *git.Repository) *Checkout {
	if repo != nil && r.standsFor(dir) {
		instead := r.Instead
		return &Checkout{URL: address, Root: instead.Root, Files: instead.Files, Revision: instead.Revision, Work: true}
	}
	c := &Checkout{URL: address, Root: dir, Files: files.Disk{}, Work: true}
	if repo != nil {
		c.Revision, _ = repo.Resolve(head) // a repository without a commit has none
	}
	return c
}

// resolve finds the commit that a revision means: HEAD is the default branch; a range of versions is the highest tag
// in it; what is not here under its own name is looked for at the remote named origin.
func resolve(repo *git.Repository, rev string) (string, error) {
	if rev == "" || rev == head {
		if branch, err := repo.DefaultBranch(); err == nil {
			return repo.Resolve(branch)
		}
		return repo.Resolve(head)
	}
	commit, err := repo.Resolve(rev)
	if err == nil {
		return commit, nil
	}
	if tag, ok := git.Highest(repo.Tags(), rev); ok {
		return repo.Resolve("refs/tags/" + tag)
	}
	if commit, other := repo.Resolve("refs/remotes/origin/" + rev); other == nil {
		return commit, nil
	}
	return "", err
}

// virtual is the folder that fetched files are shown in: it names where they come from, and is the same on every
// machine.
func virtual(address, commit string) string {
	return filepath.Join(string(filepath.Separator), filepath.FromSlash(AddressPath(address))+"@"+commit[:min(12,
		len(commit))])
}
