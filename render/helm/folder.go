package helm

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/ignore"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// folder reads the files of an unpacked chart, as loader.LoadDir does: in lexical order, through symbolic links,
// without what .helmignore names. Unlike it, it ends on cyclic links and refuses links that lead out of the chart's
// repository.
type folder struct {
	dir     string // absolute
	real    string // dir with its links resolved
	root    string // links may lead anywhere below it: the chart's repository, or real where it lies in none
	shown   string // dir as the user wrote it
	outside bool   // links may lead out of the chart
	large   bool   // files may have any size
	system  files.System
	rules   *ignore.Rules
	open    []string // the real folders that are being walked, to find a cycle

	files []*loader.BufferedFile
	paths []string // of the files, absolute
}

// readFolder reads the chart at dir, which is that of the request or one that it depends on.
func readFolder(req render.Request, dir string) (*folder, error) {
	system := files.OrDisk(req.Files)
	links, absOf := system, filepath.Abs
	if disk, ok := req.Roots.System().(*files.Unlinked); ok && req.Files == nil { // what is above many charts is known
		links, absOf = disk, disk.Abs
	}
	abs, err := absOf(dir)
	if err != nil {
		return nil, err
	}
	real, err := links.Real(abs)
	if err != nil {
		return nil, diag.Input(diag.Position{File: dir}, fmt.Errorf("read chart: %w", files.Cause(err)), "")
	}
	f := &folder{system: system, dir: abs, real: real, shown: dir, outside: req.Allow.OutsideRoot, root: real,
		large: req.Helm.Version == config.Helm4, rules: ignore.Empty()}
	if repository, ok := req.Roots.Repository(real); ok {
		f.root = repository
	}
	ignored := filepath.Join(abs, ignore.HelmIgnore)
	if rules, err := system.ReadFile(ignored); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			f.rules, err = ignore.Parse(bytes.NewReader(rules))
		}
		if err != nil {
			return nil, f.fail(ignore.HelmIgnore, fmt.Errorf("read ignore rules: %w", files.Cause(err)), "")
		}
		f.paths = append(f.paths, ignored)
	}
	f.rules.AddDefaults()
	return f, f.walk("", real)
}

// walk reads the folder at rel, which is slash-separated and "" for the chart itself, and lies at real behind links.
func (f *folder) walk(rel, real string) error {
	entries, err := f.system.ReadDir(filepath.Join(f.dir, rel))
	if err != nil {
		return f.fail(rel, fmt.Errorf("read folder: %w", files.Cause(err)), "")
	}
	for _, e := range entries {
		name := e.Name()
		if rel != "" {
			name = rel + "/" + name
		}
		if err := f.visit(name, filepath.Join(real, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// visit reads what is at rel, which lies at real unless it is a link itself.
func (f *folder) visit(rel, real string) error {
	path := filepath.Join(f.dir, rel)
	info, err := f.system.Lstat(path)
	if err != nil {
		return f.fail(rel, fmt.Errorf("read file: %w", files.Cause(err)), "")
	}
	linked := info.Mode()&fs.ModeSymlink != 0
	if linked {
		if real, err = f.system.Real(path); err != nil {
			return f.fail(rel, fmt.Errorf("follow symbolic link: %w", files.Cause(err)),
				"Remove the link, or mend its target.")
		}
		if info, err = f.system.Lstat(real); err != nil {
			return f.fail(rel, fmt.Errorf("follow symbolic link: %w", files.Cause(err)), "")
		}
	}
	if f.rules.Ignore(rel, info) {
		return nil
	}
	if linked && !f.outside && !files.Within(f.root, real) {
		return f.fail(rel, fmt.Errorf("symbolic link leads out of %s", f.border()),
			"Copy the file into the chart, name it in .helmignore, or allow it with --allow outside-root.")
	}
	if info.IsDir() {
		return f.enter(rel, real)
	}
	return f.read(rel, path, info)
}

// border names what links may not leave.
func (f *folder) border() string {
	if f.root == f.real {
		return "the chart"
	}
	return "the chart's repository"
}

func (f *folder) enter(rel, real string) error {
	if real == f.real || slices.Contains(f.open, real) {
		return f.fail(rel, errors.New("symbolic link leads back to a folder that it lies in"), "Remove the link.")
	}
	f.open = append(f.open, real)
	defer func() { f.open = f.open[:len(f.open)-1] }()
	return f.walk(rel, real)
}

func (f *folder) read(rel, path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return f.fail(rel, errors.New("not a regular file"), "")
	}
	if info.Size() > loader.MaxDecompressedFileSize && !f.large {
		return f.fail(rel, fmt.Errorf("file is larger than helm's limit of %d bytes", loader.MaxDecompressedFileSize),
			"")
	}
	data, err := f.system.ReadFile(path)
	if err != nil {
		return f.fail(rel, fmt.Errorf("read file: %w", files.Cause(err)), "")
	}
	f.files = append(f.files, &loader.BufferedFile{Name: rel, Data: bytes.TrimPrefix(data, bom)})
	f.paths = append(f.paths, path)
	return nil
}

func (f *folder) fail(rel string, err error, hint string) error {
	return diag.Input(diag.Position{File: filepath.Join(f.shown, rel)}, err, hint)
}

var bom = []byte("\xef\xbb\xbf")
