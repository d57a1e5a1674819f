package files

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// Glob returns the paths that fit a pattern, as filepath.Glob does on disk. The only error is a pattern that cannot be
// read.
func Glob(system System, pattern string) ([]string, error) {
	var found []string
	err := glob(system, pattern, func(path string, _ fs.DirEntry) { found = append(found, path) })
	return found, err
}

// GlobFolders returns those paths of Glob that are folders, or lead to one.
func GlobFolders(system System, pattern string) ([]string, error) {
	var found []string
	err := glob(system, pattern, func(path string, as fs.DirEntry) {
		isFolder := as != nil && as.IsDir()
		if !isFolder && (as == nil || !as.Type().IsRegular()) {
			info, err := system.Stat(path)
			isFolder = err == nil && info.IsDir()
		}
		if isFolder {
			found = append(found, path)
		}
	})
	return found, err
}

// glob calls visit with the paths that fit a pattern, and the entry of each in its folder; nil where none was read.
func glob(system System, pattern string, visit func(path string, as fs.DirEntry)) error {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return err
	}
	dir, last := filepath.Split(pattern)
	dir = filepath.Clean(dir)
	dirs := []string{dir}
	if hasMeta(dir) && dir != pattern {
		var err error
		if dirs, err = Glob(system, dir); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		if !hasMeta(last) {
			path := filepath.Join(dir, last)
			if _, err := system.Lstat(path); err == nil {
				visit(path, nil)
			}
			continue
		}
		entries, err := system.ReadDir(dir)
		if err != nil {
			continue // what cannot be listed holds nothing
		}
		for _, e := range entries {
			if fits, _ := filepath.Match(last, e.Name()); fits {
				visit(filepath.Join(dir, e.Name()), e)
			}
		}
	}
	return nil
}

func hasMeta(pattern string) bool { return strings.ContainsAny(pattern, `*?[\`) }
