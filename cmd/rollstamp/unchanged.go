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
// outside of it that was read, the folders that these lie in, and the configuration files on the way up are the same. Where that is in
// doubt the answer is no, and the old side is rendered.
func (c comparison) unchanged(path string, now *pipeline.Result) bool {
	app, err := filepath.Abs(path)
	if err != nil || !c.same(app) {
		return false
	}
	folders := map[string]bool{}
	for _, input := range now.Output.Inputs {
		if within(app, input) {
			continue
		}
		if !within(c.top, input) || !c.sameFile(input) {
			return false
		}
		folders[filepath.Dir(input)] = true
	}
	for dir := range folders {
		if !c.sameNames(dir) {
			return false
		}
	}
	for dir := app; within(c.top, dir); dir = filepath.Dir(dir) {
		if !c.sameConfig(filepath.Join(dir, config.FileName)) || !c.sameConfig(filepath.Join(dir, lock.FileName)) {
			return false
		}
	}
	return true
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
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
