package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/shape"
)

// withFolderHint returns the error about a folder that cannot be printed with what takes stamps out of one.
func withFolderHint(err error) error {
	var known *diag.Error
	if !errors.Is(err, syscall.EISDIR) || !errors.As(err, &known) {
		return err
	}
	changed := *known
	changed.Hint = "Stamps are taken out of its files with rollstamp unstamp --in-place " + known.Pos.File
	return &changed
}

// stampedBelow returns the paths with each folder as the files below it that may have stamps.
func (s *stampCommand) stampedBelow(p *program, paths []string, prefix string) (out []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			out = append(out, path) // who reads it reports what is wrong
			continue
		}
		settings, err := p.wiring.Settings(s.flags(), p.wiring.Disk(), path)
		if err != nil {
			return nil, err
		}
		before := len(out)
		out, err = addStamped(out, path, func(text []byte) bool {
			return app.StampPrefix(settings).MayBeIn(text) || shape.IsMarked(text) ||
				prefix != "" && bytes.Contains(text, []byte(prefix))
		})
		if err != nil {
			return nil, err
		}
		if len(out) == before {
			fmt.Fprintf(p.err, "note: no file below %s has stamps\n", path)
		}
	}
	return out, nil
}

// addStamped adds the files below a folder that may have stamps.
func addStamped(out []string, dir string, mayHaveStamps func(text []byte) bool) ([]string, error) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		isHidden := path != dir && strings.HasPrefix(e.Name(), ".")
		switch {
		case err != nil:
			return diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), files.HintOf(err))
		case e.IsDir() && isHidden:
			return fs.SkipDir
		case isHidden || !e.Type().IsRegular() || !manifest.IsFileName(path):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), "")
		}
		if mayHaveStamps(text) {
			out = append(out, path)
		}
		return nil
	})
	return out, err
}
