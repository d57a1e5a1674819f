package files

import (
	"path/filepath"
	"strings"
)

// Glob returns the paths that fit a pattern, as filepath.Glob does on disk. The only error is a pattern that cannot be
// read.
func Glob(system System, pattern string) ([]string, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, err
	}
	dir, last := filepath.Split(pattern)
	dir = filepath.Clean(dir)
	dirs := []string{dir}
	if hasMeta(dir) && dir != pattern {
		var err error
		if dirs, err = Glob(system, dir); err != nil {
			return nil, err
		}
	}
	var found []string
	for _, dir := range dirs {
		if !hasMeta(last) {
			path := filepath.Join(dir, last)
			if _, err := system.Lstat(path); err == nil {
				found = append(found, path)
			}
			continue
		}
		entries, err := system.ReadDir(dir)
		if err != nil {
			continue // what cannot be listed holds nothing
		}
		for _, e := range entries {
			if fits, _ := filepath.Match(last, e.Name()); fits {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
	}
	return found, nil
}

func hasMeta(pattern string) bool { return strings.ContainsAny(pattern, `*?[\`) }
