package git

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	format "github.com/go-git/go-git/v5/plumbing/format/config"

	"github.com/rollstamp/rollstamp/diag"
)

// found is what lies at a name.
type found struct {
	entry
	in   module
	path string // behind links
	base string // the last part of the name that was asked for
}

// module is the repository that something lies in: the revision's, or that of a submodule.
type module struct {
	repo *Repository
	top  *folder
	path string // of top in the revision, "" for the revision's own
	work *workTree
}

// enter returns the folder that was found, and the repository that its entries lie in.
func (at found) enter() (*folder, module, error) {
	switch at.mode {
	case dirMode:
		return at.in.repo.folder(at.hash), at.in, nil
	case moduleMode:
		top, err := at.in.submodule(at.path, at.hash)
		if err != nil {
			return nil, module{}, err
		}
		return top, module{repo: top.repo, top: top, path: at.path}, nil
	}
	return nil, module{}, fs.ErrNotExist
}

// SubmoduleError is a submodule whose commit is not on this machine.
type SubmoduleError struct{ Path, Commit string }

func (e *SubmoduleError) Error() string {
	return fmt.Sprintf("%s is a submodule, whose commit %s is not on this machine", e.Path, e.Commit)
}

// submodule returns the top folder of the submodule at a path of the revision, at the commit that the revision names,
// where it was fetched. Without .gitmodules no checkout fetches any, and its folder is empty.
func (m module) submodule(at string, commit plumbing.Hash) (*folder, error) {
	absent := diag.Input(diag.Position{}, &SubmoduleError{at, commit.String()},
		"Fetch it with git submodule update --init --recursive.")
	name, err := m.submoduleName(strings.TrimPrefix(strings.TrimPrefix(at, m.path), "/"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return emptyFolder(m.repo), nil
	case err != nil:
		return nil, absent
	}
	inner, err := m.repo.module(filepath.Join(m.repo.dirs.common, "modules", filepath.FromSlash(name)))
	if err != nil {
		return nil, absent
	}
	c, err := inner.commit(commit)
	if err != nil {
		return nil, absent
	}
	return inner.folder(c.tree), nil
}

// module opens the repository of a submodule, once.
func (r *Repository) module(dir string) (*Repository, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.modules[dir]; known != nil {
		return known, nil
	}
	if !isGitDir(dir) {
		return nil, errors.New("not a repository")
	}
	inner, err := open(dirs{top: dir, git: dir, common: dir, bare: true})
	if err == nil {
		r.modules[dir] = inner
	}
	return inner, err
}

// submoduleName finds the name under which .gitmodules knows the submodule at a path.
func (m module) submoduleName(at string) (string, error) {
	e, err := m.top.find(".gitmodules")
	if err != nil {
		return "", err
	}
	text, err := m.repo.read(plumbing.BlobObject, e.hash)
	if err != nil {
		return "", err
	}
	raw := format.New()
	if err := format.NewDecoder(strings.NewReader(string(text))).Decode(raw); err != nil {
		return "", err
	}
	for _, sub := range raw.Section("submodule").Subsections {
		if path.Clean(sub.Option("path")) == at && filepath.IsLocal(sub.Name) {
			return sub.Name, nil
		}
	}
	return "", errNotNamed
}

var errNotNamed = errors.New("a submodule that .gitmodules does not name")
