package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/rollstamp/rollstamp/diag"
)

// FilteredError is a file whose content in the repository is not what a work tree shows: a pointer of Git LFS whose
// content was not fetched, or a file that git-crypt encrypted.
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
func (at found) content() ([]byte, error) {
	b, err := at.in.repo.read(plumbing.BlobObject, at.hash)
	switch {
	case err != nil || at.mode == linkMode:
		return b, err
	case bytes.HasPrefix(b, cryptHead):
		return nil, diag.Input(diag.Position{}, &FilteredError{gitCrypt},
			"Render the work tree, unlocked, instead of a revision.")
	case len(b) < largestPointer && bytes.HasPrefix(b, lfsHead):
		return at.in.repo.large(b)
	}
	return b, nil
}

// large finds the content of a pointer of Git LFS among what was fetched.
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
	absent := diag.Input(diag.Position{}, &FilteredError{gitLFS},
		"Fetch it with git lfs fetch, or keep what is rendered out of Git LFS.")
	if raw, err := hex.DecodeString(oid); err != nil || len(raw) != sha256.Size {
		return nil, absent
	}
	b, err := os.ReadFile(filepath.Join(r.dirs.common, "lfs", "objects", oid[:2], oid[2:4], oid))
	if err != nil || int64(len(b)) != size {
		return nil, absent
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != oid {
		return nil, diag.Input(diag.Position{}, errors.New("what Git LFS keeps of the file is damaged"),
			"Fetch it again with git lfs fetch --refetch.")
	}
	return b, nil
}
