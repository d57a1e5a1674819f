package workspace

import (
	"io/fs"
	"slices"

	"github.com/rollstamp/rollstamp/git"
)

// Commit returns the files of a repository on this machine at a commit, nil where the repository or the commit is not
// here.
func (r *Repositories) Commit(address, hash string) fs.ReadLinkFS {
	r.mu.Lock()
	defer r.mu.Unlock()
	dir := r.at(address)
	if dir == "" {
		return nil
	}
	repo := r.open(dir)
	if repo == nil {
		return nil
	}
	if commit, err := repo.Resolve(hash); err != nil || commit != hash {
		return nil
	}
	tree, err := repo.Tree(hash)
	if err != nil {
		return nil
	}
	return tree
}

// Resolve returns the commit that a revision means in a repository that was added, "" where none was added for the
// address or it has no such revision. What was found around a file may be behind its remote, and does not count.
func (r *Repositories) Resolve(address string, rev Revision) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	dir := r.at(address)
	if i := slices.IndexFunc(r.local, func(l local) bool { return l.dir == dir && !l.found }); dir == "" || i < 0 {
		return ""
	}
	repo := r.open(dir)
	if repo == nil {
		return ""
	}
	name := rev.Name
	if rev.TagPrefix != "" {
		name = git.Tagged(repo.Tags(), rev.TagPrefix, name)
	}
	commit, err := resolve(repo, name)
	if err != nil {
		return ""
	}
	return commit
}

// IsAdded reports whether a repository was added for an address.
func (r *Repositories) IsAdded(address string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	dir := r.at(address)
	return dir != "" && slices.ContainsFunc(r.local, func(l local) bool { return l.dir == dir && !l.found })
}

// open returns the repository whose top is a folder, nil where the folder is none.
func (r *Repositories) open(dir string) *git.Repository {
	if repo := r.opened[dir]; repo != nil {
		return repo
	}
	found, err := git.Open(dir)
	if err != nil {
		return nil
	}
	if found.Top != dir {
		_ = found.Close() // a folder of another repository was added for this one
		return nil
	}
	if r.opened == nil {
		r.opened = map[string]*git.Repository{}
	}
	r.opened[dir] = found
	return found
}

// at returns the folder that was added for an address, "" where there is none: for just this one, else for one that
// means the same repository.
func (r *Repositories) at(address string) string {
	same := ""
	for _, l := range r.local {
		switch {
		case AddressPath(l.url) == AddressPath(address):
			return l.dir
		case same == "" && SameRepository(l.url, address):
			same = l.dir
		}
	}
	return same
}
