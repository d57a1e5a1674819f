package git

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Tree is the tree of files of one commit. Files are read when they are asked for. It may be used from several
// goroutines at once, and as long as its repository is open.
//
// Names are bytes, as Git has them: they need not be UTF-8. Errors are *fs.PathError; within them, what the repository
// cannot read is a *diag.Error.
type Tree struct {
	Commit string // the full hash
	repo   *Repository
	top    *folder
	work   *workTree // nil for the files as every checkout has them
}

var (
	_ fs.ReadLinkFS = (*Tree)(nil)
	_ fs.ReadFileFS = (*Tree)(nil)
	_ fs.ReadDirFS  = (*Tree)(nil)
	_ fs.StatFS     = (*Tree)(nil)
)

// Tree returns the files of the revision, which may be anything that Resolve takes.
func (r *Repository) Tree(rev string) (*Tree, error) {
	hash, err := r.resolve(rev)
	if err != nil {
		return nil, err
	}
	c, err := r.commit(hash)
	if err != nil {
		return nil, err
	}
	t := &Tree{Commit: hash.String(), repo: r, top: r.folder(c.tree)}
	_, err = t.top.list()
	return t, err
}

// ID returns the identity of the content of a file or folder: two of the same ID hold the same, in any revision and
// repository.
func (t *Tree) ID(name string) (string, error) {
	at, err := t.walk("stat", name, stay)
	if err != nil {
		return "", err
	}
	return at.hash.String(), nil
}

// shown returns what a work tree shows of a file, and of a link nothing.
func (t *Tree) shown(name string) ([]byte, error) {
	at, err := t.walk("open", name, stay)
	if err != nil || at.mode == linkMode || at.fileMode().IsDir() {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	return at.content()
}

// through returns what is to become of a link at the end of a name.
type through int

const (
	stay through = iota
	on
)

// maxHops is how many links a name may lead through, as on Linux.
const maxHops = 40

// walk finds what lies at name.
func (t *Tree) walk(op, name string, end through) (found, error) {
	fail := func(err error) (found, error) { return found{}, &fs.PathError{Op: op, Path: name, Err: err} }
	if !valid(name) {
		return fail(fs.ErrInvalid)
	}
	switch at, err := t.direct(name); {
	case err == nil && (end == stay || at.mode != linkMode):
		return at, nil
	case errors.Is(err, fs.ErrNotExist):
		return fail(err)
	}
	at := t.root(path.Base(name))
	rest, hops := split(name), 0
	for len(rest) > 0 {
		inner, in, err := at.enter()
		if err != nil {
			return fail(err)
		}
		next, err := inner.find(rest[0])
		if err != nil {
			return fail(err)
		}
		here := path.Join(at.path, rest[0])
		rest = rest[1:]
		if next.mode == linkMode && (end == on || len(rest) > 0) {
			if hops++; hops > maxHops {
				return fail(errors.New("too many symbolic links"))
			}
			target, err := inner.repo.read(plumbing.BlobObject, next.hash)
			if err != nil {
				return fail(err)
			}
			to := path.Join(path.Dir(here), string(target))
			if path.IsAbs(string(target)) || to == ".." || strings.HasPrefix(to, "../") {
				return fail(errors.New("a symbolic link leads out of the revision"))
			}
			rest, at = append(split(to), rest...), t.root(at.base)
			continue
		}
		at.entry, at.in, at.path = next, in, here
	}
	return at, nil
}

// errIndirect is that a link, or something of another repository, lies on the way to a name.
var errIndirect = errors.New("a link is on the way")

// direct finds what lies at a name that no link leads to; fs.ErrNotExist where there is nothing.
func (t *Tree) direct(name string) (found, error) {
	at, dir := t.root(path.Base(name)), t.top
	for rest := name; rest != "."; {
		first, after, more := strings.Cut(rest, "/")
		e, err := dir.find(first)
		if err != nil {
			return found{}, err
		}
		at.entry, at.path = e, strings.TrimSuffix(name[:len(name)-len(after)], "/")
		switch {
		case !more:
			return at, nil
		case e.mode != dirMode:
			return found{}, errIndirect
		}
		dir, rest = t.repo.folder(e.hash), after
	}
	return at, nil
}

// Direct describes what is at a name, nil where nothing is, and reports whether a walk to it comes there, or to where
// nothing is, without a link and within this repository.
func (t *Tree) Direct(name string) (there fs.FileInfo, isDirect bool) {
	if !valid(name) {
		return nil, false
	}
	at, err := t.direct(name)
	if err != nil {
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	return info{at}, at.mode != linkMode
}

// root is the top of the tree, found under a name that ends with base.
func (t *Tree) root(base string) found {
	top := entry{mode: dirMode, hash: t.top.hash}
	return found{entry: top, in: module{repo: t.repo, top: t.top, work: t.work}, base: base}
}

func split(name string) []string {
	if name == "." {
		return nil
	}
	return strings.Split(name, "/")
}
