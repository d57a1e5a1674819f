package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// mode is what a tree says of an entry.
type mode string

// The modes that git writes, and one that it wrote once.
const (
	dirMode    mode = "40000"
	fileMode   mode = "100644"
	sharedMode mode = "100664"
	execMode   mode = "100755"
	linkMode   mode = "120000"
	moduleMode mode = "160000"
)

// entry is a line of a tree.
type entry struct {
	mode mode
	name string
	hash plumbing.Hash
}

// fileMode is the mode as package fs has it. A submodule is a folder that is not like others.
func (e entry) fileMode() fs.FileMode {
	switch e.mode {
	case dirMode:
		return fs.ModeDir | 0o755
	case moduleMode:
		return fs.ModeDir | fs.ModeIrregular | 0o755
	case linkMode:
		return fs.ModeSymlink | 0o777
	case execMode:
		return 0o755
	}
	return 0o644
}

// parseTree reads a tree object. Names that could lead out of the folder are refused, as git refuses to check them out.
func parseTree(text []byte) ([]entry, error) {
	var out []entry
	for len(text) > 0 {
		head, rest, ok := bytes.Cut(text, []byte{0})
		m, name, two := bytes.Cut(head, []byte(" "))
		if !ok || !two || len(rest) < len(plumbing.ZeroHash) {
			return nil, errors.New("a folder of the revision is damaged")
		}
		e := entry{mode: mode(m), name: string(name)}
		copy(e.hash[:], rest)
		text = rest[len(e.hash):]
		if e.mode == "040000" { // some writers pad it
			e.mode = dirMode
		}
		switch e.mode {
		case dirMode, fileMode, sharedMode, execMode, linkMode, moduleMode:
		default:
			return nil, fmt.Errorf("%q in the revision has the unknown mode %q", e.name, e.mode)
		}
		if !valid(e.name) || e.name == "." || strings.Contains(e.name, "/") || strings.EqualFold(e.name, marker) {
			return nil, fmt.Errorf("the revision holds an entry with the name %q", e.name)
		}
		out = append(out, e)
	}
	// Git sorts folders as if their names ended with a slash.
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	for i := range out[:max(0, len(out)-1)] {
		if out[i].name == out[i+1].name {
			return nil, fmt.Errorf("the revision holds %q twice in one folder", out[i].name)
		}
	}
	return out, nil
}

// valid is fs.ValidPath for names of any bytes.
func valid(name string) bool {
	for rest, more := name, name != "."; more; {
		var part string
		if part, rest, more = strings.Cut(rest, "/"); part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}
