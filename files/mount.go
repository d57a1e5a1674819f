package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Mount shows a tree as the folder At. All other paths are the disk's. The folder counts as the top of a repository:
// it holds an empty folder .git, whatever the tree says. At need not exist on disk.
type Mount struct {
	At   string        // absolute and clean
	Tree fs.ReadLinkFS // safe for several goroutines; ReadDir and ReadFile as fs.ReadDir and fs.ReadFile find them
}

var _ System = Mount{}

// resolve is the operation of Real, in its errors.
const resolve = "lstat" // as filepath.EvalSymlinks has it

// ReadFile reads from the tree or the disk.
func (m Mount) ReadFile(path string) ([]byte, error) {
	rel, out, _, err := m.follow("open", path, true)
	if err != nil || rel == "" {
		if err != nil {
			return nil, err
		}
		return os.ReadFile(out)
	}
	b, err := fs.ReadFile(m.Tree, rel)
	return b, m.withPath("open", path, err)
}

// Stat asks the tree or the disk.
func (m Mount) Stat(path string) (fs.FileInfo, error) { return m.stat("stat", path, true) }

// Lstat asks the tree or the disk.
func (m Mount) Lstat(path string) (fs.FileInfo, error) { return m.stat("lstat", path, false) }

func (m Mount) stat(op, path string, through bool) (fs.FileInfo, error) {
	rel, out, there, err := m.follow(op, path, through)
	switch {
	case err != nil:
		return nil, err
	case there != nil:
		return there, nil
	case rel == "" && through:
		return os.Stat(out)
	case rel == "":
		return os.Lstat(out)
	case rel == gitDir:
		return topMark{}, nil
	}
	info, err := m.Tree.Lstat(rel)
	return info, m.withPath(op, path, err)
}

// ReadDir lists a folder of the tree or of the disk.
func (m Mount) ReadDir(path string) ([]fs.DirEntry, error) {
	rel, out, _, err := m.follow("open", path, true)
	switch {
	case err != nil:
		return nil, err
	case rel == "":
		return os.ReadDir(out)
	case rel == gitDir:
		return nil, nil
	}
	entries, err := fs.ReadDir(m.Tree, rel)
	return entries, m.withPath("open", path, err)
}

// Real resolves the links of the tree. Those that lead out of it are resolved on disk.
func (m Mount) Real(path string) (string, error) {
	rel, out, there, err := m.follow(resolve, path, true)
	switch {
	case err != nil:
		return "", err
	case rel == "":
		return filepath.EvalSymlinks(out)
	case rel != gitDir && there == nil:
		if _, err := m.Tree.Lstat(rel); err != nil {
			return "", m.withPath("lstat", path, err)
		}
	}
	return filepath.Join(m.At, filepath.FromSlash(rel)), nil
}

// follow returns the path in the tree that path means, "." for its top, or, where path lies or leads out of it, "" and
// the path on disk. The last part of the path is resolved only where through says so, the parts before it always. What
// is there is nil where it is not known.
func (m Mount) follow(op, path string, through bool) (rel, out string, there fs.FileInfo, err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", "", nil, err
	}
	rest, ok := m.inside(abs)
	if !ok {
		return "", abs, nil, nil
	}
	if tree, ok := m.Tree.(directTree); ok && len(rest) > 0 {
		rel := strings.Join(rest, "/")
		switch there, isDirect := tree.Direct(rel); {
		case !isDirect || rel == gitDir:
		case there != nil:
			return rel, "", there, nil
		case op != resolve || !through: // else the error says where the way ends
			return "", "", nil, &fs.PathError{Op: op, Path: path, Err: fs.ErrNotExist}
		}
	}
	rel, out, err = m.walk(op, path, rest, through)
	return rel, out, nil, err
}

// walk is follow for the parts of a path in the tree, one after the other.
func (m Mount) walk(op, path string, rest []string, through bool) (rel, out string, err error) {
	at := "." // resolved so far
	for links := 0; len(rest) > 0; {
		next := rest[0]
		rest = rest[1:]
		here := next
		if at != "." {
			here = at + "/" + next
		}
		if here == gitDir {
			at = here
			continue
		}
		info, err := m.Tree.Lstat(here)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) && m.isFile(at) {
				err = syscall.ENOTDIR
			}
			if op == resolve && through { // which says where the way ends
				path = filepath.Join(m.At, filepath.FromSlash(here))
			}
			return "", "", m.withPath(op, path, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 || len(rest) == 0 && !through {
			at = here
			continue
		}
		if links++; links > maxLinks {
			return "", "", &fs.PathError{Op: op, Path: path, Err: syscall.ELOOP}
		}
		target, err := m.Tree.ReadLink(here)
		if err != nil {
			return "", "", m.withPath(op, path, err)
		}
		if target = filepath.FromSlash(target); !filepath.IsAbs(target) {
			target = filepath.Join(m.At, filepath.FromSlash(at), target)
		}
		beyond, ok := filepath.Join(append([]string{target}, rest...)...), false
		if rest, ok = m.inside(beyond); !ok {
			return "", beyond, nil
		}
		at = "."
	}
	return at, "", nil
}

// directTree is a tree that knows whether a link is on the way to a name, and what is there: nil where nothing is.
type directTree interface {
	Direct(name string) (there fs.FileInfo, isDirect bool)
}

// inside returns the parts of a clean path below the top, none for the top itself.
func (m Mount) inside(abs string) ([]string, bool) {
	rel, ok := strings.CutPrefix(abs, m.At)
	switch {
	case !ok:
		return nil, false
	case rel == "":
		return nil, true
	case m.At[len(m.At)-1] != filepath.Separator: // else it is the top of the disk
		if rel, ok = strings.CutPrefix(rel, string(filepath.Separator)); !ok {
			return nil, false
		}
	}
	return strings.Split(filepath.ToSlash(rel), "/"), true
}

func (m Mount) isFile(rel string) bool {
	info, err := m.Tree.Lstat(rel)
	return err == nil && !info.IsDir()
}

// withPath returns an error of the tree with the path that was asked for.
func (m Mount) withPath(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// topMark is the folder .git of the top.
type topMark struct{}

func (topMark) Name() string       { return gitDir }
func (topMark) Size() int64        { return 0 }
func (topMark) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (topMark) ModTime() time.Time { return time.Time{} }
func (topMark) IsDir() bool        { return true }
func (topMark) Sys() any           { return nil }
