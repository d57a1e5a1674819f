package files

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Memory is a tree of files in memory, such as Unpack returns for an archive. It shows every file with mode 0644,
// every folder with 0755 and no times, so that nothing depends on the machine that packed it. It is never changed, and
// may be used from several goroutines.
type Memory struct {
	nodes map[string]*node // by path; "." is the top
	size  int64
}

var (
	_ fs.ReadLinkFS = (*Memory)(nil)
	_ fs.ReadFileFS = (*Memory)(nil)
	_ fs.ReadDirFS  = (*Memory)(nil)
	_ fs.StatFS     = (*Memory)(nil)
)

// Size is how many bytes all its files hold.
func (m *Memory) Size() int64 { return m.size }

// Len is how many files, folders and links it holds, its top among them.
func (m *Memory) Len() int { return len(m.nodes) }

// Open opens a file or folder, behind links.
func (m *Memory) Open(name string) (fs.File, error) {
	n, err := m.find("open", name, true)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		return &openFolder{node: n}, nil
	}
	return &openFile{node: n, Reader: bytes.NewReader(n.data)}, nil
}

// ReadFile returns a copy of a file's content.
func (m *Memory) ReadFile(name string) ([]byte, error) {
	n, err := m.find("open", name, true)
	if err == nil && n.IsDir() {
		err = &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	if err != nil {
		return nil, err
	}
	return bytes.Clone(n.data), nil
}

// ReadDir lists a folder, sorted by name.
func (m *Memory) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := m.find("open", name, true)
	if err == nil && !n.IsDir() {
		err = &fs.PathError{Op: "readdir", Path: name, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.entries), nil
}

// Stat describes what lies behind links.
func (m *Memory) Stat(name string) (fs.FileInfo, error) { return m.info("stat", name, true) }

// Lstat describes the link itself.
func (m *Memory) Lstat(name string) (fs.FileInfo, error) { return m.info("lstat", name, false) }

func (m *Memory) info(op, name string, through bool) (fs.FileInfo, error) {
	n, err := m.find(op, name, through)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// ReadLink returns a link's target as it is written: relative, and never out of the tree.
func (m *Memory) ReadLink(name string) (string, error) {
	n, err := m.find("readlink", name, false)
	if err == nil && n.mode.Type() != fs.ModeSymlink {
		err = &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return "", err
	}
	return string(n.data), nil
}

// find returns what lies at name. The last part is followed, where it is a link, only if through says so; the parts
// before it always.
func (m *Memory) find(op, name string, through bool) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if n := m.nodes[name]; n != nil && (!through || n.mode.Type() != fs.ModeSymlink) {
		return n, nil
	}
	at, rest := ".", strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		here := path.Join(at, rest[0])
		rest = rest[1:]
		n := m.nodes[here]
		switch {
		case n == nil:
			return nil, &fs.PathError{Op: op, Path: name, Err: syscall.ENOENT}
		case n.mode.Type() != fs.ModeSymlink || len(rest) == 0 && !through:
			at = here
			continue
		}
		if links++; links > maxLinks {
			return nil, &fs.PathError{Op: op, Path: name, Err: syscall.ELOOP}
		}
		target := path.Join(at, string(n.data)) // never out of the tree: Unpack saw to it
		rest = append(strings.Split(target, "/"), rest...)
		at = "."
	}
	return m.nodes[at], nil
}

// node is one file, folder or link. It is its own description.
type node struct {
	name    string
	mode    fs.FileMode
	data    []byte        // a file's content, or a link's target
	entries []fs.DirEntry // of a folder, sorted by name
}

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return int64(len(n.data)) }
func (n *node) Mode() fs.FileMode          { return n.mode }
func (n *node) Type() fs.FileMode          { return n.mode.Type() }
func (n *node) ModTime() time.Time         { return time.Time{} }
func (n *node) IsDir() bool                { return n.mode.IsDir() }
func (n *node) Sys() any                   { return nil }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) String() string             { return fs.FormatFileInfo(n) }

type openFile struct {
	node *node
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *openFile) Close() error               { return nil }

type openFolder struct {
	node *node
	read int // entries that were returned already
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *openFolder) Close() error               { return nil }

func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.node.name, Err: syscall.EISDIR}
}

func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	left := f.node.entries[f.read:]
	if n <= 0 {
		n = len(left)
	} else if len(left) == 0 {
		return nil, io.EOF
	}
	left = slices.Clone(left[:min(n, len(left))])
	f.read += len(left)
	return left, nil
}
