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
	"github.com/rollstamp/rollstamp/files"
)

// FilteredError is a file whose content in the repository is not what a work tree shows: a pointer of Git LFS whose
// content was not fetched, a file that git-crypt encrypted, or one that another filter or an encoding makes another.
type FilteredError struct{ Filter string }

func (e *FilteredError) Error() string {
	switch e.Filter {
	case gitCrypt:
		return "the file is encrypted by git-crypt in the repository"
	case gitLFS:
		return "the file is kept by Git LFS, and its content is not on this machine"
	}
	return "a checkout converts the file (" + e.Filter + "), and what that makes of it is not known here"
}

const (
	gitLFS   = "git-lfs"
	gitCrypt = "git-crypt"
)

// The beginnings by which filtered files are known.
var (
	lfsHead   = []byte(files.PointerHead)
	cryptHead = []byte("\x00GITCRYPT\x00")
)

// largestPointer is the size from which on a file is no pointer, by the specification of Git LFS.
const largestPointer = 1024

// content returns what a work tree would show of a file or link.
func (at found) content() ([]byte, error) {
	stored, err := at.in.repo.read(plumbing.BlobObject, at.hash)
	if err != nil || at.mode == linkMode {
		return stored, err
	}
	attrs := at.attributes()
	converted, err := at.convert(stored, attrs)
	if at.in.work != nil {
		if b, ok := at.in.work.checkedOut(at, stored, converted, attrs); ok {
			return b, nil
		}
	}
	return converted, err
}

// isFiltered reports whether something is stored in the form of a filter that is known here.
func isFiltered(stored []byte) bool {
	return bytes.HasPrefix(stored, cryptHead) || len(stored) < largestPointer && bytes.HasPrefix(stored, lfsHead)
}

// convert returns what a checkout makes of what is stored.
func (at found) convert(stored []byte, attrs attributes) ([]byte, error) {
	switch {
	case bytes.HasPrefix(stored, cryptHead):
		return nil, diag.Input(diag.Position{}, &FilteredError{gitCrypt},
			"Render the work tree, unlocked, instead of a revision.")
	case isFiltered(stored):
		return at.in.repo.large(stored)
	case at.passesFilter(attrs["filter"]):
		return nil, unknownForm("filter=" + attrs["filter"])
	}
	b := stored
	if attrs["ident"] == attributeSet {
		b = withID(b, at.hash.String())
	}
	end, onlyText := attrs.ends()
	if end == ofMachine && at.in.work != nil && at.in.work.writesCarriage(at, stored, onlyText) {
		end = carriage
	}
	encoding := "working-tree-encoding"
	b, ok := encode(withCarriage(b, end, onlyText), attrs[encoding])
	if !ok {
		return nil, unknownForm(encoding + "=" + attrs[encoding])
	}
	return b, nil
}

// unknownForm returns the error that a work tree shows a file in a form that is not known here.
func unknownForm(by string) error {
	return diag.Input(diag.Position{}, &FilteredError{by}, "Check both revisions out, and compare the two folders.")
}

// passesFilter reports whether a file goes through a filter of that name when it is checked out. What Git LFS and
// git-crypt did not make they leave as it is, and so does a filter that nobody has configured.
func (at found) passesFilter(name string) bool {
	switch name {
	case noAttribute, attributeSet, attributeUnset, "lfs", gitCrypt:
		return false
	}
	return at.in.repo.config.filters[name] || at.in.work != nil && at.in.work.filters(at)
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
