package files_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rollstamp/rollstamp/files"
)

var roomy = files.Limits{Bytes: 1 << 20, Entries: 1000}

// packed returns an archive of these entries; a regular file's content is as many x as its size.
func packed(t *testing.T, heads ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range heads {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(bytes.Repeat([]byte("x"), int(h.Size))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(name string, size int64) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o755}
}

func link(name, to string) tar.Header {
	return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to}
}

func folder(name string) tar.Header {
	return tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o700}
}

func TestAnUnpackedTreeIsAFileSystem(t *testing.T) {
	tree, err := files.Unpack(bytes.NewReader(packed(t, folder("."), folder("./app/"), file("app/values.yaml", 5), file("shared/deep/base.yaml", 3),
		link("app/base.yaml", "../shared/deep/base.yaml"), link("app/all", "../shared"), folder("empty"),
		file(".git/config", 9), file(".gitattributes", 2))), roomy)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "app/values.yaml", "shared/deep/base.yaml", "app/base.yaml", "empty", ".gitattributes"); err != nil {
		t.Error(err)
	}
	if b, err := fs.ReadFile(tree, "app/all/deep/base.yaml"); string(b) != "xxx" {
		t.Errorf("behind a link of a folder is %q, %v", b, err)
	}
	if info, _ := tree.Lstat("app/values.yaml"); info.Mode() != 0o644 || !info.ModTime().IsZero() {
		t.Errorf("the mode is %v, the time %v", info.Mode(), info.ModTime())
	}
	if _, err := tree.Lstat(".git"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf(".git is there: %v", err)
	}
	if tree.Size() != 10 {
		t.Errorf("it holds %d bytes", tree.Size())
	}
}

// TestAMountOfAnUnpackedTreeAnswersAsTheDisk lets the kernel resolve the same links.
func TestAMountOfAnUnpackedTreeAnswersAsTheDisk(t *testing.T) {
	var heads []tar.Header
	for name, f := range layout {
		if f.Mode&fs.ModeSymlink == 0 {
			heads = append(heads, file(name, int64(len(f.Data))))
		} else if name != "app/out" {
			heads = append(heads, link(name, string(f.Data)))
		}
	}
	tree, err := files.Unpack(bytes.NewReader(packed(t, heads...)), roomy)
	if err != nil {
		t.Fatal(err)
	}
	root := onDisk(t)
	mount := files.Mount{At: "/nowhere/tree", Tree: tree}
	for _, path := range []string{"app", "app/link.yaml", "app/folder", "app/twice/base.yaml", "app/loop", "app/broken", "app/values.yaml/x", "none"} {
		want, wantErr := filepath.EvalSymlinks(filepath.Join(root, path))
		got, err := mount.Real(filepath.Join(mount.At, path))
		if !errors.Is(kind(err), kind(wantErr)) || strings.TrimPrefix(got, mount.At) != strings.TrimPrefix(want, root) {
			t.Errorf("%s: the mount says %q, %v, the disk %q, %v", path, got, err, want, wantErr)
		}
	}
}

func TestHostileArchivesAreRefused(t *testing.T) {
	deep := strings.Repeat("d/", 250) + "f"
	rows := map[string]struct {
		archive []byte
		want    error
	}{
		"a path that leads out":                   {packed(t, file("../evil", 1)), files.ErrUnsafe},
		"a path that leads out and back":          {packed(t, file("a/../../tree/evil", 1)), files.ErrUnsafe},
		"a path with a .. part that stays":        {packed(t, file("a/../b", 1)), files.ErrUnsafe},
		"an absolute path":                        {packed(t, file("/etc/passwd", 1)), files.ErrUnsafe},
		"a link out":                              {packed(t, link("a/l", "../../etc/passwd")), files.ErrUnsafe},
		"an absolute link":                        {packed(t, link("l", "/etc/passwd")), files.ErrUnsafe},
		"a link out through a folder":             {packed(t, folder("a"), link("l", "a/../../x")), files.ErrUnsafe},
		"a file behind a link":                    {packed(t, folder("a"), link("l", "a"), file("l/evil", 1)), files.ErrUnsafe},
		"a file in a file":                        {packed(t, file("a", 1), file("a/b", 1)), files.ErrUnsafe},
		"a file in a folder's place":              {packed(t, file("a/b", 1), file("a", 1)), files.ErrUnsafe},
		"a file twice":                            {packed(t, file("a", 1), file("./a", 2)), files.ErrUnsafe},
		"a link in a file's place":                {packed(t, file("a", 1), link("a", "b")), files.ErrUnsafe},
		"a folder in a link's place":              {packed(t, link("a", "b"), folder("a/")), files.ErrUnsafe},
		"a character device":                      {packed(t, tar.Header{Typeflag: tar.TypeChar, Name: "zero", Devmajor: 1, Devminor: 5}), files.ErrUnsafe},
		"a block device":                          {packed(t, tar.Header{Typeflag: tar.TypeBlock, Name: "sda"}), files.ErrUnsafe},
		"a pipe":                                  {packed(t, tar.Header{Typeflag: tar.TypeFifo, Name: "pipe"}), files.ErrUnsafe},
		"a hard link":                             {packed(t, tar.Header{Typeflag: tar.TypeLink, Name: "l", Linkname: "/etc/passwd"}), files.ErrUnsafe},
		"a path of 4,500 bytes":                   {packed(t, file(strings.Repeat(strings.Repeat("n", 99)+"/", 45)+"f", 1)), files.ErrUnsafe},
		"a name of 300 bytes":                     {packed(t, file(strings.Repeat("n", 300), 1)), files.ErrUnsafe},
		"a path of 250 folders":                   {packed(t, file(deep, 1)), files.ErrUnsafe},
		"a link with a target of 5,000 bytes":     {packed(t, link("l", strings.Repeat("x/", 2500))), files.ErrUnsafe},
		"a link to nothing at all":                {packed(t, link("l", "")), files.ErrUnsafe},
		"more than the size":                      {packed(t, file("a", 600<<10), file("b", 600<<10)), files.ErrTooLarge},
		"more than the size in .git":              {packed(t, file(".git/pack", 2<<20)), files.ErrTooLarge},
		"many small files":                        {many(t, 1200), files.ErrTooLarge},
		"many folders in few entries":             {packed(t, deepFiles(10)...), files.ErrTooLarge},
		"a sparse file that unpacks to a billion": {sparse(t, 1<<30), files.ErrTooLarge},
		"a torn archive":                          {packed(t, file("a", 4000))[:2000], io.ErrUnexpectedEOF},
		"noise":                                   {bytes.Repeat([]byte("noise"), 500), tar.ErrHeader},
	}
	for name, row := range rows {
		tree, err := files.Unpack(bytes.NewReader(row.archive), roomy)
		if !errors.Is(err, row.want) || tree != nil {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
		if err != nil && len(err.Error()) > 600 {
			t.Errorf("%s: the error is %d bytes long", name, len(err.Error()))
		}
	}
}

func TestABombIsReadOnlyUpToTheLimit(t *testing.T) {
	var small bytes.Buffer
	w := gzip.NewWriter(&small)
	if _, err := w.Write(packed(t, file("zeros", 64<<20))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(&small)
	if err != nil {
		t.Fatal(err)
	}
	counted := &counter{r: r}
	if _, err := files.Unpack(counted, roomy); !errors.Is(err, files.ErrTooLarge) {
		t.Errorf("the bomb went off: %v", err)
	}
	if counted.n > roomy.Bytes+1 {
		t.Errorf("%d bytes were unpacked", counted.n)
	}
}

func FuzzUnpackedTreesAreClosed(f *testing.F) {
	f.Add("a/b", "../c", "c")
	f.Add("l", ".", "d/e")
	f.Add("a/l", "../a/../b", "b")
	f.Fuzz(func(t *testing.T, name, to, other string) {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range []tar.Header{link(name, to), file(other, 0)} {
			if w.WriteHeader(&h) != nil {
				t.Skip()
			}
		}
		_ = w.Close()
		tree, err := files.Unpack(&b, roomy)
		if err != nil {
			return
		}
		mount := files.Mount{At: "/nowhere/tree", Tree: tree}
		err = fs.WalkDir(tree, ".", func(p string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			real, err := mount.Real(filepath.Join(mount.At, p))
			if err == nil && real != mount.At && !strings.HasPrefix(real, mount.At+"/") {
				return fmt.Errorf("%q leads to %q", p, real)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func many(t *testing.T, n int) []byte {
	var heads []tar.Header
	for i := range n {
		heads = append(heads, file(fmt.Sprint("f", i), 0))
	}
	return packed(t, heads...)
}

func deepFiles(n int) (heads []tar.Header) {
	for i := range n {
		heads = append(heads, file(fmt.Sprintf("top%d/%sf", i, strings.Repeat("d/", 150)), 0))
	}
	return heads
}

// sparse returns a file of so many bytes that is one hole, in the PAX form 0.1, which package tar reads and does not
// write.
func sparse(t *testing.T, size int) []byte {
	t.Helper()
	record := func(key, value string) string {
		n := len(key) + len(value) + 3
		for n != len(fmt.Sprintf("%d %s=%s\n", n, key, value)) {
			n++
		}
		return fmt.Sprintf("%d %s=%s\n", n, key, value)
	}
	records := record("GNU.sparse.size", fmt.Sprint(size)) + record("GNU.sparse.numblocks", "1") + record("GNU.sparse.map", fmt.Sprint(size, ",0"))
	head := packed(t, tar.Header{Typeflag: tar.TypeReg, Name: "x", Size: int64(len(records)), Format: tar.FormatUSTAR})[:1024]
	head[156] = tar.TypeXHeader
	copy(head[512:], append([]byte(records), make([]byte, 512)...)[:512])
	copy(head[148:], "        ")
	sum := 0
	for _, c := range head[:512] {
		sum += int(c)
	}
	copy(head[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(head, packed(t, file("hole", 0))...)
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
