package main

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // what Git names contents by
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// unchanged tells whether an application that was rendered on the new side would be the same on the old one: its folder, every file
// outside of it that was read, the folders that these lie in, what it looks things up in, and the configuration files on the way up are
// the same. Where that is in doubt the answer is no, and the old side is rendered.
func (p *program) unchanged(d *diffCommand, c comparison, path string, now *pipeline.Result) bool {
	settings, err := p.resolveAt(&d.settingsFlags, c.to.roots, path)
	if err != nil {
		return false
	}
	for _, context := range settings.Context.Value {
		if around, err := filepath.Abs(string(context)); err != nil || !files.Within(c.top, around) || !c.same(around) {
			return false
		}
	}
	app, err := filepath.Abs(path)
	return err == nil && c.same(app) && c.sameInputs(app, now.Output.Inputs) && c.sameAbove(app)
}

// sameInputs compares what an application reads outside of its folder. What it reads through links, wherever, is taken for changed: the
// link may be the same and lead to something else.
func (c comparison) sameInputs(app string, inputs []string) bool {
	links, names := map[string]bool{c.top: false}, map[string]bool{}
	for _, input := range inputs {
		switch {
		case !files.Within(c.top, input) || c.linked(links, input):
			return false
		case files.Within(app, input):
		case !c.sameFile(input):
			return false
		default:
			// A file that is new in one of these folders may be read, too. Those above the application hold others beside it.
			for dir := filepath.Dir(input); !names[dir] && !files.Within(dir, app); dir = filepath.Dir(dir) {
				if !c.sameNames(dir) {
					return false
				}
				names[dir] = true
			}
		}
	}
	return true
}

// linked tells whether a link stands on the way from the top of the repository to a path. known holds what was found before.
func (c comparison) linked(known map[string]bool, path string) bool {
	if is, ok := known[path]; ok {
		return is
	}
	info, err := files.Or(c.to.files).Lstat(path)
	is := err != nil || info.Mode()&fs.ModeSymlink != 0 || c.linked(known, filepath.Dir(path))
	known[path] = is
	return is
}

// sameAbove compares the configuration files and locks from an application on upwards.
func (c comparison) sameAbove(app string) bool {
	for dir := range files.Upwards(app, c.top) {
		if !c.sameConfig(filepath.Join(dir, config.FileName)) || !c.sameConfig(filepath.Join(dir, lock.FileName)) {
			return false
		}
	}
	return true
}

// sameConfig tells whether a configuration file is the same, or on neither side. One that builds on another is taken for changed.
func (c comparison) sameConfig(path string) bool {
	text, err := files.Or(c.to.files).ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = c.from.files.Stat(path)
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && !bytes.Contains(text, []byte("extends")) && c.sameFile(path)
}

// same tells whether a file or folder is the same on both sides, with all that lies in it.
func (c comparison) same(path string) bool {
	if c.to.tree != nil {
		rel := c.rel(path)
		a, errA := c.from.tree.ID(rel)
		b, errB := c.to.tree.ID(rel)
		return errA == nil && errB == nil && a == b
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return false
	case !info.IsDir():
		return c.sameFile(path)
	case !c.sameNames(path):
		return false
	}
	entries, err := os.ReadDir(path)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != ".git" && !c.same(filepath.Join(path, e.Name()))
	})
}

// rel gives a path as the trees know it.
func (c comparison) rel(path string) string {
	rel, err := filepath.Rel(c.top, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// sameNames tells whether a folder holds the same names on both sides.
func (c comparison) sameNames(dir string) bool {
	names := func(system files.System) string {
		entries, err := system.ReadDir(dir)
		if err != nil {
			return err.Error()
		}
		var out strings.Builder
		for _, e := range entries {
			if e.Name() != ".git" {
				fmt.Fprintf(&out, "%s %v\n", e.Name(), e.Type())
			}
		}
		return out.String()
	}
	return names(files.Or(c.to.files)) == names(c.from.files)
}

// sameFile compares a file by what Git calls its content. A link in the work tree is followed, and counts as changed where the old side
// does not hold what it leads to.
func (c comparison) sameFile(path string) bool {
	if c.to.tree != nil {
		return c.same(path)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	want, err := c.from.tree.ID(c.rel(path))
	if err != nil {
		return false
	}
	var content []byte
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return false
		}
		content = []byte(filepath.ToSlash(target))
	} else if content, err = os.ReadFile(path); err != nil {
		return false
	}
	sum := sha1.New() //nolint:gosec // as above
	fmt.Fprintf(sum, "blob %d\x00", len(content))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil)) == want
}
