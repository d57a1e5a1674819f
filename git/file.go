package git

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Open opens a file or folder, behind symbolic links within the revision.
func (t *Tree) Open(name string) (fs.File, error) {
	at, err := t.walk("open", name, on)
	if err != nil {
		return nil, err
	}
	if at.fileMode().IsDir() {
		entries, err := t.ReadDir(name)
		return &openDir{info: info{at}, name: name, rest: entries}, err
	}
	b, err := at.content()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{Reader: bytes.NewReader(b), info: info{at}}, nil
}

// ReadFile returns the whole content of a file, behind symbolic links within the revision.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	at, err := t.walk("open", name, on)
	if err != nil {
		return nil, err
	}
	if at.fileMode().IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	b, err := at.content()
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return b, nil
}

// ReadDir lists a folder, sorted by name.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	at, err := t.walk("open", name, on)
	if err != nil {
		return nil, err
	}
	inner, in, err := at.enter()
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("not a directory")
	}
	var entries []entry
	if err == nil {
		entries, err = inner.list()
	}
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	out := make([]fs.DirEntry, len(entries))
	for i, e := range entries {
		out[i] = fs.FileInfoToDirEntry(info{found{entry: e, in: in, base: e.name}})
	}
	return out, nil
}

// Stat describes what lies behind symbolic links within the revision.
func (t *Tree) Stat(name string) (fs.FileInfo, error) { return t.describe("stat", name, on) }

// Lstat describes the link itself.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) { return t.describe("lstat", name, stay) }

func (t *Tree) describe(op, name string, end through) (fs.FileInfo, error) {
	at, err := t.walk(op, name, end)
	if err != nil {
		return nil, err
	}
	return info{at}, nil
}

// ReadLink returns what a symbolic link says.
func (t *Tree) ReadLink(name string) (string, error) {
	at, err := t.walk("readlink", name, stay)
	if err != nil {
		return "", err
	}
	if at.mode != linkMode {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	b, err := at.in.repo.read(plumbing.BlobObject, at.hash)
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return string(b), nil
}

// info describes what was found.
type info struct{ found }

func (i info) Name() string       { return i.base }
func (i info) Mode() fs.FileMode  { return i.fileMode() }
func (i info) ModTime() time.Time { return time.Time{} } // a commit has a time, its files have none
func (i info) IsDir() bool        { return i.fileMode().IsDir() }
func (i info) Sys() any           { return nil }

// Size reads the content: Git does not store the size apart. It is 0 where that fails; reading reports why.
func (i info) Size() int64 {
	if i.IsDir() {
		return 0
	}
	b, err := i.content()
	if err != nil {
		return 0
	}
	return int64(len(b))
}

type openFile struct {
	*bytes.Reader
	info info
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info info
	name string
	rest []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a directory")}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(d.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.rest) {
		n = len(d.rest)
	}
	out := d.rest[:n]
	d.rest = d.rest[n:]
	return out, nil
}
