package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/overlay"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// tree is the file system that one build sees: the disk, read-only, inside the fence, with a note of every file read.
// One build uses it, and kustomize builds in one goroutine.
type tree struct {
	filesys.FileSystem // the request's files, as kustomize asks for them
	ctx                context.Context
	req                render.Request
	app                string // req.Path, absolute and without links
	fence              fence
	overlay            *overlay.FS
	names              *names
	read               map[string]struct{} // absolute paths
	edited             *edited             // nil where nothing is changed
	refusal            error               // the first; kustomize may take it for a missing file and go on
}

// edited is the application's kustomization file as the build sees it, in place of what is on disk.
type edited struct {
	path      string // absolute, without links
	text      []byte
	plain     []byte // what is on disk
	generated bool   // nothing is there on disk
}

func newTree(ctx context.Context, req render.Request) (*tree, error) {
	system := files.OrDisk(req.Files)
	abs, err := filepath.Abs(req.Path)
	if err == nil {
		abs, err = system.Real(abs)
	}
	if err == nil {
		var info fs.FileInfo
		if info, err = system.Stat(abs); err == nil && !info.IsDir() {
			err = errNotFolder
		}
	}
	if err != nil {
		return nil, diag.Input(diag.Position{File: req.Path}, fmt.Errorf("open kustomization: %w", files.Cause(err)),
			"")
	}
	return &tree{
		FileSystem: asKustomize(system),
		ctx:        ctx,
		req:        req,
		app:        abs,
		fence:      newFence(abs, req),
		overlay:    overlay.New(system),
		names:      newNames(),
		read:       make(map[string]struct{}),
	}, nil
}

// CleanedAbs is how kustomize finds files and folders before it reads them.
func (t *tree) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	if err := t.ctx.Err(); err != nil {
		return "", "", t.refuse(stopError(t.ctx, t.req.Path))
	}
	if t.overlay.Has(path) {
		return filesys.ConfirmedDir(filepath.Dir(path)), filepath.Base(path), nil
	}
	real, mirror := t.overlay.Resolve(path)
	if real == "" {
		return "", "", fmt.Errorf("find %s: %w", path, fs.ErrNotExist)
	}
	if t.overlay.Has(real) {
		return filesys.ConfirmedDir(filepath.Dir(path)), filepath.Base(path), nil
	}
	dir, file, err := t.at(real).CleanedAbs(real)
	if err != nil {
		return dir, file, err
	}
	if err := t.check(real, dir.Join(file)); err != nil {
		return "", "", err
	}
	return filesys.ConfirmedDir(mirror.Path(dir.String())), file, nil
}

// ReadFile is the only way in which a build gets content.
func (t *tree) ReadFile(path string) ([]byte, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, t.refuse(stopError(t.ctx, t.req.Path))
	}
	if text, ok := t.overlay.Read(path); ok {
		return text, nil
	}
	if t.edited != nil && t.edited.generated && path == t.edited.path {
		return t.edited.text, nil
	}
	real, mirror := t.overlay.Resolve(path)
	if real == "" {
		return nil, fs.ErrNotExist
	}
	if text, ok := t.overlay.Read(real); ok && real != path {
		return text, nil
	}
	target, err := t.overlay.System().Real(real)
	if err != nil {
		b, err := t.at(real).ReadFile(real) // for kustomize's own words
		return b, t.readError(real, err)
	}
	if err := t.check(real, target); err != nil {
		return nil, err
	}
	b, err := t.content(target)
	if err != nil {
		return nil, t.readError(mirror.Path(target), err)
	}
	t.read[target] = struct{}{}
	if err := checkAliases(b); err != nil {
		return nil, t.refuse(diag.Input(diag.Position{File: t.displayPath(mirror.Path(target))},
			fmt.Errorf("read YAML: %w", err), ""))
	}
	return b, nil
}

// at returns the files that a path lies in, as kustomize asks for them.
func (t *tree) at(path string) filesys.FileSystem {
	if t.overlay.Root(path) == "" {
		return t.FileSystem
	}
	return asKustomize(t.overlay.System())
}

// content returns a file as the build sees it.
func (t *tree) content(target string) ([]byte, error) {
	if t.edited != nil && t.edited.path == target {
		return t.edited.text, nil
	}
	return t.overlay.System().ReadFile(target)
}

// readError lets the build fail where the files themselves say more than that one is not there: a revision of which a
// clone holds a part.
func (t *tree) readError(path string, err error) error {
	var known *diag.Error
	if !errors.As(err, &known) && !errors.Is(err, files.ErrIrregular) {
		return err
	}
	return t.refuse(diag.Input(diag.Position{File: t.displayPath(path)}, fmt.Errorf("read: %w", files.Cause(err)),
		diag.HintOf(err)))
}

// check refuses what lies outside of the fence, or of the clone that the path leads into.
func (t *tree) check(written, target string) error {
	if clone := t.overlay.Root(written); clone != "" {
		if files.Within(clone, target) {
			return nil
		}
		return t.refuse(diag.Input(diag.Position{},
			fmt.Errorf("read %s: a link leads out of the repository that it was fetched from",
				strings.TrimPrefix(written, clone+"/")), ""))
	}
	if abs, err := filepath.Abs(written); err == nil {
		written = abs
	}
	if t.fence.allows(written, target) {
		return nil
	}
	return t.refuse(diag.Input(diag.Position{File: t.displayPath(written)},
		fmt.Errorf("read %s: it lies outside of the application's root %s", target, t.fence.root()),
		"Move it into the repository, or allow it with --allow outside-root."))
}

// refuse records why the build has to fail, whatever kustomize makes of the error.
func (t *tree) refuse(err error) error {
	if t.refusal == nil {
		t.refusal = err
	}
	return err
}

// displayPath returns an absolute path as the user would write it, which is relative to the path that was asked for.
func (t *tree) displayPath(abs string) string {
	if root := t.overlay.Root(abs); root != "" {
		return remote.Display(t.names.clones[root].repo.URL) + "/" + strings.TrimPrefix(abs, root)
	}
	rel, err := filepath.Rel(t.app, abs)
	if err != nil {
		return abs
	}
	return filepath.Join(t.req.Path, rel)
}

// noteFolder notes every file of a folder as read.
func (t *tree) noteFolder(dir string) error {
	entries, err := t.overlay.System().ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type().IsRegular() {
			t.read[path] = struct{}{}
		}
		if e.IsDir() {
			if err := t.noteFolder(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// load reads a file that a kustomization names, under the rule that kustomize itself applies.
func (t *tree) load(k *kustomization, path string) (file string, b []byte, err error) {
	path = k.path(path)
	if t.req.Kustomize.LoadRestrictor != types.LoadRestrictionsNone.String() {
		dir, name, err := t.CleanedAbs(path)
		switch {
		case err != nil:
			return "", nil, files.Cause(err)
		case name == "":
			return "", nil, errors.New("a folder, not a file")
		case !files.Within(k.dir, dir.String()):
			return "", nil, fmt.Errorf("file '%s' is not in or below '%s'", t.displayPath(path), t.displayPath(k.dir))
		}
		path = dir.Join(name)
	}
	b, err = t.ReadFile(path)
	file, _ = t.overlay.Resolve(path)
	return file, b, files.Cause(err)
}

// inputs lists the files that were read, without those that go with the build.
func (t *tree) inputs() []string {
	var out []string
	for path := range t.read {
		root := t.overlay.Root(path)
		if root == "" {
			out = append(out, path)
			continue
		}
		if c := t.names.clones[root]; !c.temporary {
			rel, _ := files.Rel(root, path)
			out = append(out, filepath.Join(c.dir, rel))
		}
	}
	slices.Sort(out)
	return out
}

// stopError is the error of a build whose time is over.
func stopError(ctx context.Context, folder string) error {
	return diag.Input(diag.Position{File: folder}, fmt.Errorf("render kustomization: %w", context.Cause(ctx)),
		"Allow more time with --timeout.")
}

var errNotFolder = errors.New("not a folder")

var errReadOnly = errors.New("a build writes no files")

// Create refuses: a build writes nothing.
func (t *tree) Create(string) (filesys.File, error) { return nil, errReadOnly }

// Mkdir refuses: a build writes nothing.
func (t *tree) Mkdir(string) error { return errReadOnly }

// MkdirAll refuses: a build writes nothing.
func (t *tree) MkdirAll(string) error { return errReadOnly }

// RemoveAll refuses: a build writes nothing.
func (t *tree) RemoveAll(string) error { return errReadOnly }

// WriteFile refuses: a build writes nothing.
func (t *tree) WriteFile(string, []byte) error { return errReadOnly }
