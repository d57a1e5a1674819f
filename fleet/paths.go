package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Builder builds the application at a path of a place.
type Builder interface {
	Application(ctx context.Context, at app.Place, path string) (*app.Application, error)
}

// IsPattern reports whether a path has characters that make it a glob.
func IsPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// Expand returns the paths of a file system that fit the patterns; nil is the disk. A path that is there is itself,
// whatever characters it has, and what is not there is left out. As in a shell, a wildcard at the start of a name fits
// no name that begins with a dot, such as .git.
func Expand(system files.System, patterns []string) ([]string, error) {
	system = files.OrDisk(system)
	var out []string
	for _, pattern := range patterns {
		_, err := system.Stat(pattern)
		switch {
		case err == nil:
			out = append(out, filepath.Clean(pattern))
			continue
		case !IsPattern(pattern):
			if !errors.Is(err, os.ErrNotExist) {
				return nil, diag.Input(diag.Position{File: pattern}, fmt.Errorf("read: %w", err), "")
			}
			continue
		}
		found, err := files.GlobFolders(system, pattern)
		if err != nil {
			return nil, diag.Usage(fmt.Errorf("read pattern %s: %w", pattern, err), "")
		}
		for _, path := range found {
			if !isHidden(pattern, path) {
				out = append(out, filepath.Clean(path))
			}
		}
	}
	return out, nil
}

// isHidden reports whether a path that fits a pattern has a name with a dot at its start where the pattern has none.
func isHidden(pattern, path string) bool {
	const separator = string(filepath.Separator)
	wanted, names := strings.Split(filepath.Clean(pattern), separator), strings.Split(filepath.Clean(path), separator)
	if len(wanted) != len(names) {
		return false
	}
	for i, name := range names {
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(wanted[i], ".") {
			return true
		}
	}
	return false
}
