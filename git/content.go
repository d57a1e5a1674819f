package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/rollstamp/rollstamp/diag"
)

// FilteredError is a file whose content in the repository is not what a work tree shows: a pointer of Git LFS whose content was not
// fetched, or a file that git-crypt encrypted.
type FilteredError struct{ Filter string }

func (e *FilteredError) Error() string {
	if e.Filter == gitCrypt {
		return "the file is encrypted by git-crypt in the repository"
	}
	return "the file is kept by Git LFS, and its content is not on this machine"
}

const (
	gitLFS   = "git-lfs"
	gitCrypt = "git-crypt"
)

// The beginnings by which filtered files are known.
var (
	lfsHead   = []byte("version https://git-lfs.github.com/spec/v1\n")
	cryptHead = []byte("\x00GITCRYPT\x00")
)

// largestPointer is the size from which on a file is no pointer, by the specification of Git LFS.
const largestPointer = 1024

// content returns what a work tree would show of a file or link.
func (t *Tree) content(at found) ([]byte, error) {
	b, err := at.in.repo.read(plumbing.BlobObject, at.hash)
	switch {
	case err != nil || at.mode == linkMode:
		return b, err
	case bytes.HasPrefix(b, cryptHead):
		return nil, diag.Input(diag.Position{}, &FilteredError{gitCrypt}, "Render the work tree, unlocked, instead of a revision.")
	case len(b) < largestPointer && bytes.HasPrefix(b, lfsHead):
		return at.in.repo.large(b)
	}
	return b, nil
}

// large finds the content that a pointer of Git LFS stands for among what was fetched.
func (r *Repository) large(pointer []byte) ([]byte, error) {
	var oid string
	size := int64(-1)
	for line := range strings.Lines(string(pointer)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "oid":
			oid, _ = strings.CutPrefix(value, "sha256:")
		case "size":
			size, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	absent := diag.Input(diag.Position{}, &FilteredError{gitLFS}, "Fetch it with git lfs fetch, or keep what is rendered out of Git LFS.")
	if raw, err := hex.DecodeString(oid); err != nil || len(raw) != sha256.Size {
		return nil, absent
	}
	b, err := os.ReadFile(filepath.Join(r.dirs.common, "lfs", "objects", oid[:2], oid[2:4], oid))
	if err != nil || int64(len(b)) != size {
		return nil, absent
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != oid {
		return nil, diag.Input(diag.Position{}, errors.New("what Git LFS keeps of the file is damaged"), "Fetch it anew with git lfs fetch --refetch.")
	}
	return b, nil
}

// SubmoduleError is a submodule whose commit is not on this machine.
type SubmoduleError struct{ Path, Commit string }

func (e *SubmoduleError) Error() string {
	return fmt.Sprintf("%s is a submodule, whose commit %s is not on this machine", e.Path, e.Commit)
}

// submodule returns the top folder of the submodule at a path of the revision, at the commit that the revision names, where it was
// fetched.
func (m module) submodule(at string, commit plumbing.Hash) (*folder, error) {
	absent := diag.Input(diag.Position{}, &SubmoduleError{at, commit.String()}, "Fetch it with git submodule update --init --recursive.")
	name, err := m.submoduleName(strings.TrimPrefix(strings.TrimPrefix(at, m.path), "/"))
	if err != nil {
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
