package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
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
	kusts              map[string]*kustomization // by folder
	overlay            *overlay
	scratch            string              // where charts lie, and clones without a cache; "" is not made yet
	read               map[string]struct{} // absolute paths
	edited             *edited             // nil where nothing is changed
	once               bool                // charts need not be tried for what is random
	refusal            error               // the first; kustomize may take it for a missing file and go on
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
		return nil, diag.Input(diag.Position{File: req.Path}, fmt.Errorf("open kustomization: %w", files.Cause(err)), "")
	}
	return &tree{
		FileSystem: asKustomize(system),
		ctx:        ctx,
		req:        req,
		app:        abs,
		fence:      newFence(abs, req.Allow.OutsideRoot, req.Roots),
		kusts:      make(map[string]*kustomization),
		overlay:    newOverlay(newRemotes(system)),
		read:       make(map[string]struct{}),
		once:       req.Once,
	}, nil
}

// close removes what was fetched for this build alone.
func (t *tree) close() {
	for _, c := range t.overlay.clones {
		if c.open != nil {
			_ = c.open.Close()
		}
	}
	if t.scratch != "" {
		_ = os.RemoveAll(t.scratch)
	}
}

// CleanedAbs is how kustomize finds files and folders before it reads them.
func (t *tree) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	if err := t.ctx.Err(); err != nil {
		return "", "", t.refuse(stopped(t.ctx, t.req.Path))
	}
	if _, ok := t.overlay.file(path); ok {
		return filesys.ConfirmedDir(filepath.Dir(path)), filepath.Base(path), nil
	}
	disk, way := t.overlay.behind(path)
	if disk == "" {
		return "", "", fmt.Errorf("find %s: %w", path, fs.ErrNotExist)
	}
	if _, ok := t.overlay.file(disk); ok {
		disk = way.back(disk)
		return filesys.ConfirmedDir(filepath.Dir(disk)), filepath.Base(disk), nil
	}
	dir, file, err := t.at(disk).CleanedAbs(disk)
	if err != nil {
		return dir, file, err
	}
	if err := t.check(disk, dir.Join(file)); err != nil {
		return "", "", err
	}
	return filesys.ConfirmedDir(way.back(dir.String())), file, nil
}

// ReadFile is the only way in which a build gets content.
func (t *tree) ReadFile(path string) ([]byte, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, t.refuse(stopped(t.ctx, t.req.Path))
	}
	if text, ok := t.overlay.text(path); ok {
		return text, nil
	}
	disk, way := t.overlay.behind(path)
	if disk == "" {
		return nil, fs.ErrNotExist
	}
	if text, ok := t.overlay.text(disk); ok {
		return text, nil
	}
	target, err := t.overlay.system.Real(disk)
	if err != nil {
		b, err := t.at(disk).ReadFile(disk) // for kustomize's own words
		return b, t.unread(disk, err)
	}
	if err := t.check(disk, target); err != nil {
		return nil, err
	}
	b, err := t.content(target)
	if err != nil {
		return nil, t.unread(way.back(target), err)
	}
	t.read[target] = struct{}{}
	if err := checkAliases(b); err != nil {
		return nil, t.refuse(diag.Input(diag.Position{File: t.shown(way.back(target))}, fmt.Errorf("read YAML: %w", err), ""))
	}
	return b, nil
}

// at returns the files that a path lies in, as kustomize asks for them.
func (t *tree) at(path string) filesys.FileSystem {
	if t.overlay.around(path) == "" {
		return t.FileSystem
	}
	return asKustomize(t.overlay.system)
}

// content returns a file as the build sees it.
func (t *tree) content(target string) ([]byte, error) {
	if t.edited != nil && t.edited.path == target {
		return t.edited.text, nil
	}
	return t.at(target).ReadFile(target)
}

// unread lets the build fail where the files themselves say more than that one is not there: a revision of which a clone holds a part.
func (t *tree) unread(path string, err error) error {
	var told *diag.Error
	if !errors.As(err, &told) {
		return err
	}
	return t.refuse(diag.Input(diag.Position{File: t.shown(path)}, fmt.Errorf("read: %w", files.Cause(err)), diag.HintOf(err)))
}

// check refuses what lies outside of the fence, or of the clone that the path leads into.
func (t *tree) check(written, target string) error {
	if clone := t.overlay.around(written); clone != "" {
		if files.Within(clone, target) {
			return nil
		}
		return t.refuse(diag.Input(diag.Position{}, fmt.Errorf("read %s: a link leads out of the repository that it was fetched from", strings.TrimPrefix(written, clone+"/")), ""))
	}
	if abs, err := filepath.Abs(written); err == nil {
		written = abs
	}
	if t.fence.allows(written, target) {
		return nil
	}
	return t.refuse(diag.Input(diag.Position{File: t.shown(written)},
		fmt.Errorf("read %s: it lies outside of the application's root %s", target, t.fence.root()),
		"Move it into the repository, or allow it with --allow outside-root."))
}

// refuse notes why the build has to fail, whatever kustomize makes of the error.
func (t *tree) refuse(err error) error {
	if t.refusal == nil {
		t.refusal = err
	}
	return err
}

// shown returns an absolute path as the user would write it, which is relative to the path that was asked for.
func (t *tree) shown(abs string) string {
	if root := t.overlay.around(abs); root != "" {
		return remote.Shown(t.overlay.clones[root].repo.URL) + "/" + strings.TrimPrefix(abs, root)
	}
	rel, err := filepath.Rel(t.app, abs)
	if err != nil {
		return abs
	}
	return filepath.Join(t.req.Path, rel)
}

// inputs lists the files that were read, without those that go with the build.
func (t *tree) inputs() []string {
	var read []string
	for path := range t.read {
		if path = t.overlay.fetchedTo(path); t.scratch == "" || !files.Within(t.scratch, path) {
			read = append(read, path)
		}
	}
	slices.Sort(read)
	return read
}

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
