package files

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Limits bound an archive. Both numbers are to be set.
type Limits struct {
	Bytes   int64 // of the whole archive, unpacked: contents, headers, and what is left out
	Entries int   // files, folders and links
	// EmptyLinks has links, wherever they lead, be files without content, as Helm reads them in a chart.
	EmptyLinks bool
}

// What bounds a path, as on Linux.
const (
	longestPath = 4096
	longestName = 255
	deepest     = 200 // folders
)

// Errors of Unpack that are the archive's fault, each wrapped with the entry that it is about.
var (
	ErrTooLarge = errors.New("the archive is too large")
	ErrUnsafe   = errors.New("the archive is not safe to unpack")
)

// Unpack reads a tar archive into memory. It takes files, folders and symbolic links that stay in the tree, and
// refuses devices, pipes, hard links, paths and links that lead out, files behind links, and one path twice. What lies
// in .git at the top is left out: nothing reads it, and Mount shows an empty folder in its place.
func Unpack(r io.Reader, limits Limits) (*Memory, error) {
	u := &unpacking{limits: limits, tree: &Memory{nodes: map[string]*node{".": {name: ".", mode: fs.ModeDir | 0o755}}}}
	in := &bounded{r: r, left: limits.Bytes}
	for archive := tar.NewReader(in); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = u.entry(head, archive)
		}
		if err != nil && in.exceeded {
			err = fmt.Errorf("%w: more than %d bytes unpacked", ErrTooLarge, limits.Bytes)
		}
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", err)
		}
	}
	u.list()
	return u.tree, nil
}

type unpacking struct {
	limits Limits
	tree   *Memory
}

// entry takes one entry of the archive.
func (u *unpacking) entry(head *tar.Header, content io.Reader) error {
	if head.Typeflag == tar.TypeXGlobalHeader {
		return nil // a note of who packed it, such as git archive
	}
	name, err := clean(head.Name)
	if err != nil || name == "." || name == gitDir || strings.HasPrefix(name, gitDir+"/") {
		return err
	}
	n := &node{name: path.Base(name), mode: 0o644}
	isLink := head.Typeflag == tar.TypeSymlink || head.Typeflag == tar.TypeLink
	switch {
	case head.Typeflag == tar.TypeDir:
		return u.folder(name)
	case isLink && u.limits.EmptyLinks:
	case head.Typeflag == tar.TypeSymlink:
		n.mode = fs.ModeSymlink | 0o777
		n.data, err = target(name, head.Linkname)
	case head.Typeflag == tar.TypeReg:
		n.data, err = u.content(head.Size, content)
	default:
		err = unsafe(name, "is neither a file, a folder nor a symbolic link")
	}
	if err != nil {
		return err
	}
	return u.put(name, n)
}

// clean returns an entry's name as a path in the tree.
func clean(name string) (string, error) {
	rel := path.Clean(name)
	if len(name) > longestPath {
		return "", unsafe(name, "is too long a path")
	}
	if !fs.ValidPath(rel) || strings.ContainsRune(name, 0) {
		return "", unsafe(name, "leads out of the archive")
	}
	if strings.Count(rel, "/") >= deepest {
		return "", unsafe(name, "lies too deep")
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", unsafe(name, "holds a .. part")
		}
		if len(part) > longestName {
			return "", unsafe(name, "has too long a name")
		}
	}
	return rel, nil
}

// target checks where a link leads. Where the target lies behind further links, each of them was checked as well.
func target(name, to string) ([]byte, error) {
	switch {
	case to == "", strings.ContainsRune(to, 0), len(to) > longestPath:
		return nil, unsafe(name, "is a link without a usable target")
	case path.IsAbs(to), !fs.ValidPath(path.Join(path.Dir(name), to)):
		return nil, unsafe(name, "is a symbolic link that leads out of the archive")
	}
	return []byte(to), nil
}

// content takes a file's content. A size that the archive only claims costs no memory, and holes of sparse files count
// as what they unpack to.
func (u *unpacking) content(size int64, content io.Reader) ([]byte, error) {
	const trusted = 1 << 20
	if size > u.limits.Bytes-u.tree.size {
		return nil, fmt.Errorf("%w: more than %d bytes unpacked", ErrTooLarge, u.limits.Bytes)
	}
	u.tree.size += size
	if size <= trusted {
		b := make([]byte, size)
		_, err := io.ReadFull(content, b)
		return b, err
	}
	var b bytes.Buffer
	b.Grow(trusted)
	n, err := b.ReadFrom(content)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), err
}

// folder sees to it that a folder is there, with all above it.
func (u *unpacking) folder(name string) error {
	if n := u.tree.nodes[name]; n != nil {
		if !n.IsDir() {
			return unsafe(name, "is taken for a folder and is none")
		}
		return nil
	}
	return u.put(name, &node{name: path.Base(name), mode: fs.ModeDir | 0o755})
}

func (u *unpacking) put(name string, n *node) error {
	if u.tree.nodes[name] != nil {
		return unsafe(name, "is there twice")
	}
	if err := u.folder(path.Dir(name)); err != nil {
		return err
	}
	if len(u.tree.nodes) >= u.limits.Entries {
		return fmt.Errorf("%w: more than %d files and folders", ErrTooLarge, u.limits.Entries)
	}
	u.tree.nodes[name] = n
	return nil
}

// list records the entries of each folder.
func (u *unpacking) list() {
	nodes := u.tree.nodes
	for p, n := range nodes {
		if p != "." {
			dir := nodes[path.Dir(p)]
			dir.entries = append(dir.entries, n)
		}
	}
	for _, n := range nodes {
		slices.SortFunc(n.entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
}

func unsafe(name, what string) error {
	if len(name) > longestName {
		name = name[:longestName] + "..."
	}
	return fmt.Errorf("%w: %q %s", ErrUnsafe, name, what)
}

// bounded ends with an error where more is read than may be.
type bounded struct {
	r        io.Reader
	left     int64
	exceeded bool
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		var one [1]byte
		if n, err := b.r.Read(one[:]); n == 0 {
			return 0, err
		}
		b.exceeded = true
		return 0, ErrTooLarge
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
