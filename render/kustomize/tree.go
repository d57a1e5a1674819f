package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// tree is the file system that one build sees: the disk, read-only, inside the fence, with a note of every file read.
// One build uses it, and kustomize builds in one goroutine.
type tree struct {
	filesys.FileSystem // the disk
	ctx                context.Context
	req                render.Request
	app                string // req.Path, absolute and without links
	fence              fence
	kusts              map[string]*kustomization // by folder
	overlay            *overlay                  // nil without charts
	read               map[string]struct{}       // absolute paths
	refusal            error                     // the first; kustomize may take it for a missing file and go on
}

func newTree(ctx context.Context, req render.Request) (*tree, error) {
	abs, err := filepath.Abs(req.Path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(abs); err == nil && !info.IsDir() {
			err = errNotFolder
		}
	}
	if err != nil {
		return nil, diag.Input(diag.Position{File: req.Path}, fmt.Errorf("open kustomization: %w", pathless(err)), "")
	}
	return &tree{
		FileSystem: filesys.MakeFsOnDisk(),
		ctx:        ctx,
		req:        req,
		app:        abs,
		fence:      newFence(abs, req.Allow.OutsideRoot),
		kusts:      make(map[string]*kustomization),
		read:       make(map[string]struct{}),
	}, nil
}

// CleanedAbs is how kustomize finds files and folders before it reads them.
func (t *tree) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	if err := t.ctx.Err(); err != nil {
		return "", "", t.refuse(stopped(t.ctx, t.req.Path))
	}
	if t.overlay != nil {
		return t.overlaid(path)
	}
	return t.cleaned(path)
}

func (t *tree) cleaned(path string) (filesys.ConfirmedDir, string, error) {
	dir, file, err := t.FileSystem.CleanedAbs(path)
	if err != nil {
		return dir, file, err
	}
	return dir, file, t.check(path, dir.Join(file))
}

// overlaid finds files and folders in the overlay, and those behind it under the names that they have there.
func (t *tree) overlaid(path string) (filesys.ConfirmedDir, string, error) {
	if _, ok := t.overlay.files[path]; ok {
		return filesys.ConfirmedDir(filepath.Dir(path)), filepath.Base(path), nil
	}
	disk, folder := t.overlay.behind(path)
	switch {
	case folder == "":
		return t.cleaned(path)
	case disk == "":
		return "", "", fmt.Errorf("find %s: %w", path, fs.ErrNotExist)
	}
	dir, file, err := t.cleaned(disk)
	if root := t.overlay.folders[folder].of.dir; err == nil && within(root, dir.String()) {
		dir = filesys.ConfirmedDir(folder + strings.TrimPrefix(dir.String(), root))
	}
	return dir, file, err
}

// ReadFile is the only way in which a build gets content.
func (t *tree) ReadFile(path string) ([]byte, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, t.refuse(stopped(t.ctx, t.req.Path))
	}
	if t.overlay != nil {
		if text, ok := t.overlay.text(path); ok {
			return text, nil
		}
		if path, _ = t.overlay.behind(path); path == "" {
			return nil, fs.ErrNotExist
		}
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return t.FileSystem.ReadFile(path) // for kustomize's own words
	}
	if err := t.check(path, target); err != nil {
		return nil, err
	}
	b, err := t.FileSystem.ReadFile(target)
	if err == nil {
		t.read[target] = struct{}{}
	}
	return b, err
}

// check refuses what lies outside of the fence.
func (t *tree) check(written, target string) error {
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

// shown gives an absolute path as the user would write it, which is relative to the path that was asked for.
func (t *tree) shown(abs string) string {
	rel, err := filepath.Rel(t.app, abs)
	if err != nil {
		return abs
	}
	return filepath.Join(t.req.Path, rel)
}

// inputs lists the files that were read.
func (t *tree) inputs() []string { return slices.Sorted(maps.Keys(t.read)) }

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

// pathless drops the path that the operating system's error repeats.
func pathless(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
