package files

import (
	"crypto/sha256"
	"io"
	"path/filepath"
)

// Fingerprinted is a System that never changes and knows, without reading it, whether what lies at a path is what lay
// there in another one.
type Fingerprinted interface {
	System
	// Fingerprint returns a text that decides how questions about a path, and about all that lies below it, are answered,
	// as long as it is closed; "" where there is none. Paths are absolute and clean.
	Fingerprint(path string) (print string, isDir bool)
	// IsClosed reports whether what lies at a path, and below it, lies there itself: no link leads elsewhere.
	IsClosed(path string) bool
}

var _ Fingerprinted = Mount{}

// fingerprintedTree is a tree whose names have fingerprints.
type fingerprintedTree interface {
	Fingerprint(name string) (print string, isDir bool)
	IsClosed(name string) bool
}

// Fingerprint is Fingerprinted's; "" for what lies elsewhere than in the tree.
func (m Mount) Fingerprint(path string) (print string, isDir bool) {
	tree, has := m.Tree.(fingerprintedTree)
	rel, in := Rel(m.At, path)
	if !has || !in {
		return "", false
	}
	return tree.Fingerprint(filepath.ToSlash(rel))
}

// IsClosed is Fingerprinted's.
func (m Mount) IsClosed(path string) bool {
	tree, has := m.Tree.(fingerprintedTree)
	rel, in := Rel(m.At, path)
	return has && in && tree.IsClosed(filepath.ToSlash(rel))
}

// Fingerprint returns a digest that decides how a system answers the questions. Those about top, which is absolute and
// may be written as alias, and about what lies below it, are not asked; ask returns the answers to others. Not ok where
// the system has no fingerprint of top. The digest decides the answers as long as top is closed.
func (qs Questions) Fingerprint(
	system Fingerprinted, top, alias string, ask func(Question) Digest,
) (d Digest, ok bool) {
	print, _ := system.Fingerprint(top)
	if print == "" {
		return Digest{}, false
	}
	h := sha256.New()
	_, _ = io.WriteString(h, print)
	for _, q := range qs {
		if isAt(q.Path, top) || isAt(q.Path, alias) {
			continue
		}
		a := q.fingerprint(system, ask)
		h.Write([]byte{0, byte(q.Method)})
		_, _ = io.WriteString(h, q.Path)
		h.Write(a[:])
	}
	h.Sum(d[:0])
	return d, true
}

// fingerprint returns what decides the answer to a question about one file, or else the answer.
func (q Question) fingerprint(system Fingerprinted, ask func(Question) Digest) Digest {
	switch q.Method {
	case Reading, Describing, DescribingLink:
		if filepath.IsAbs(q.Path) && filepath.Clean(q.Path) == q.Path {
			if print, isDir := system.Fingerprint(q.Path); print != "" && !isDir {
				return digest([]byte("file"), []byte(print))
			}
		}
	}
	return ask(q)
}

// isAt reports whether a path is another one, or lies below that as both are written, without a way back.
func isAt(path, top string) bool {
	if len(path) < len(top) || path[:len(top)] != top || len(path) > len(top) && path[len(top)] != filepath.Separator {
		return false
	}
	return len(path) == len(top) || filepath.Clean(path) == path
}
