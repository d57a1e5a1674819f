package plain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

const configFile = ".rollstamp.yaml"

// walk collects the files of one folder.
type walk struct {
	ctx     context.Context
	req     render.Request
	system  files.System
	root    string          // the folder with all links resolved
	include []glob          // none means the usual endings
	exclude []glob          //
	seen    map[string]bool // folders already read, links resolved, so that a circle of links ends
	names   []string        // what was found, relative to the folder, with slashes
	below   []string        // folders that were not read for want of Recursive
}

// list returns the files to read in the folder req.Path, sorted by path, and what a person should know about the rest.
func list(ctx context.Context, req render.Request) ([]string, []diag.Finding, error) {
	w := walk{ctx: ctx, req: req, system: files.OrDisk(req.Files), seen: map[string]bool{}}
	var err error
	if w.root, err = filepath.Abs(req.Path); err == nil {
		w.root, err = w.system.Real(w.root)
	}
	if err != nil {
		return nil, nil, unreadable(req.Path, err)
	}
	if w.include, err = globs("include", req.Plain.Include); err != nil {
		return nil, nil, err
	}
	if w.exclude, err = globs("exclude", req.Plain.Exclude); err != nil {
		return nil, nil, err
	}
	if err := w.folder(".", w.root); err != nil {
		return nil, nil, err
	}
	slices.Sort(w.names)
	for i, name := range w.names {
		w.names[i] = filepath.Join(req.Path, filepath.FromSlash(name))
	}
	return w.names, w.findings(), nil
}

func (w *walk) findings() []diag.Finding {
	if len(w.below) == 0 {
		return nil
	}
	f := diag.New(diag.Skipped, "", fmt.Sprintf("%d folder(s) below are not read: %s", len(w.below), some(w.below)))
	f.Hint = "Read them too with --recursive."
	return []diag.Finding{f.AsNotice().At(diag.Position{File: w.req.Path})}
}

// folder reads one folder: rel is its path below the root, real where it is on disk.
func (w *walk) folder(rel, real string) error {
	if w.seen[real] {
		return nil
	}
	w.seen[real] = true
	if err := w.ctx.Err(); err != nil {
		return fmt.Errorf("list %s: %w", w.req.Path, err)
	}
	entries, err := w.system.ReadDir(real)
	if err != nil {
		return unreadable(w.displayPath(rel), err)
	}
	for _, e := range entries {
		name := path.Join(rel, e.Name())
		switch {
		case e.IsDir():
			err = w.enter(name, filepath.Join(real, e.Name()))
		case e.Type()&fs.ModeSymlink != 0:
			err = w.link(name, filepath.Join(real, e.Name()))
		case w.selects(name) && !e.Type().IsRegular():
			err = irregular(w.displayPath(name))
		case w.selects(name) && !w.isToolFile(name, filepath.Join(real, e.Name())):
			w.names = append(w.names, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) enter(rel, real string) error {
	if path.Base(rel) == ".git" || matchAny(w.exclude, rel) {
		return nil
	}
	if !w.req.Plain.Recursive {
		if !strings.HasPrefix(rel, ".") { // what is hidden is a tool's
			w.below = append(w.below, rel)
		}
		return nil
	}
	return w.folder(rel, real)
}

// link follows a symbolic link, inside the root or where it is allowed. A link to a folder inside the root is not
// entered: the files there are read where they are, and twice the same object helps nobody.
func (w *walk) link(rel, real string) error {
	target, err := w.system.Real(real)
	if err != nil {
		if !w.selects(rel) {
			return nil
		}
		return unreadable(w.displayPath(rel), fmt.Errorf("follow symbolic link: %w", files.Cause(err)))
	}
	info, err := w.system.Stat(target)
	if err != nil {
		return unreadable(w.displayPath(rel), err)
	}
	inside := files.Within(w.border(), target)
	switch {
	case info.IsDir() && (inside || !w.req.Plain.Recursive || matchAny(w.exclude, rel)):
		return nil
	case !info.IsDir() && !w.selects(rel):
		return nil
	case !inside && !w.req.Allow.OutsideRoot:
		return diag.Input(diag.Position{File: w.displayPath(rel)},
			errors.New("symbolic link leads out of the application's folder and repository"),
			"Allow it with --allow outside-root, or keep the file inside.")
	case info.IsDir():
		return w.folder(rel, target)
	case !info.Mode().IsRegular():
		return irregular(w.displayPath(rel))
	}
	if !w.isToolFile(rel, target) {
		w.names = append(w.names, rel)
	}
	return nil
}

// isToolFile reports whether a file is a tool's own, as .pre-commit-config.yaml and what is in .github are: hidden, and
// without an object. What the user includes is none.
func (w *walk) isToolFile(rel, real string) bool {
	if len(w.include) > 0 || !strings.HasPrefix(rel, ".") && !strings.Contains(rel, "/.") {
		return false
	}
	text, err := w.system.ReadFile(real)
	return err == nil && !bytes.Contains(text, []byte("apiVersion")) // what cannot be read is reported where it is
}

// border returns the folder that links may not leave: the repository, or the application's folder where it is in
// none.
func (w *walk) border() string {
	if root, ok := w.req.Roots.Repository(w.root); ok {
		return root
	}
	return w.root
}

// selects reports whether the file at rel is selected.
func (w *walk) selects(rel string) bool {
	if path.Base(rel) == configFile || matchAny(w.exclude, rel) {
		return false
	}
	if len(w.include) > 0 {
		return matchAny(w.include, rel)
	}
	return manifest.IsFileName(rel)
}

func (w *walk) displayPath(rel string) string {
	return filepath.Join(w.req.Path, filepath.FromSlash(rel))
}

// some names the first few, so that a message stays a line.
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", ..."
}
