package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// paths returns what the user means: the working folder where nothing is named, and the folders that fit a pattern, for those who call
// without a shell, as pre-commit does. A path that is there is itself, whatever characters it has.
func (p *program) paths(args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{"."}, nil
	}
	var out []string
	for _, arg := range args {
		if _, err := os.Lstat(arg); err == nil || !strings.ContainsAny(arg, "*?[") {
			out = append(out, arg)
			continue
		}
		found, err := expand(nil, []string{arg})
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, diag.Input(diag.Position{}, fmt.Errorf("find applications: no folder fits %s", arg), "")
		}
		out = append(out, found...)
	}
	return out, nil
}

// expand returns the paths that fit the patterns. A path that is there is itself, whatever characters it has.
func expand(system files.System, patterns []string) ([]string, error) {
	system = files.OrDisk(system)
	var out []string
	for _, pattern := range patterns {
		_, err := system.Stat(pattern)
		switch {
		case err == nil:
			out = append(out, filepath.Clean(pattern))
			continue
		case !strings.ContainsAny(pattern, "*?["):
			if !errors.Is(err, os.ErrNotExist) {
				return nil, diag.Input(diag.Position{File: pattern}, fmt.Errorf("read: %w", err), "")
			}
			continue
		}
		found, err := files.Glob(system, pattern)
		if err != nil {
			return nil, diag.Usage(fmt.Errorf("read pattern %s: %w", pattern, err), "")
		}
		for _, path := range found {
			if info, err := system.Stat(path); err == nil && info.IsDir() {
				out = append(out, filepath.Clean(path))
			}
		}
	}
	return out, nil
}
