package files

import (
	"fmt"
	"iter"
	"path/filepath"
	"strings"
)

// Within reports whether path is root or lies in it, as both are written: a symbolic link on the way may lead out, so
// whoever keeps a border asks with the paths behind links (System.Real). Both are absolute, or both relative to one
// folder; of others the answer is no.
func Within(root, path string) bool {
	_, ok := Rel(root, path)
	return ok
}

// Rel returns path as it is written from root, "." for root itself, where it is Within that.
func Rel(root, path string) (rel string, ok bool) {
	if isPlain(root) && isPlain(path) {
		switch n := len(root); {
		case path == root:
			return ".", true
		case len(path) > n && path[:n] == root && path[n] == filepath.Separator:
			return path[n+1:], true
		}
		return "", false
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

// isPlain reports whether a path is seen at once to be an absolute one that is clean, and not the top of the disk: most
// are.
func isPlain(path string) bool {
	return filepath.Separator == '/' && len(path) > 1 && path[0] == '/' && path[len(path)-1] != '/' &&
		!strings.Contains(path, "//") && !hasDots(path)
}

// hasDots reports whether a part of a path is "." or "..".
func hasDots(path string) bool {
	for rest := path; ; {
		i := strings.Index(rest, "/.")
		if i < 0 {
			return false
		}
		rest = strings.TrimPrefix(rest[i+2:], ".")
		if rest == "" || rest[0] == '/' {
			return true
		}
	}
}

// SeenFrom returns a folder above the working folder, which has no links in its path, as a path that begins as the
// working folder's does.
func SeenFrom(here, top string) (string, error) {
	real, err := filepath.EvalSymlinks(here)
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	rel, err := filepath.Rel(real, top)
	if err != nil {
		return top, nil
	}
	return filepath.Join(here, rel), nil
}

// FromHere returns an absolute path without links as it is written from the working folder, or, where it does not lie
// in that, as it is.
func FromHere(path string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	if rel, ok := Rel(here, path); ok {
		return rel
	}
	if real, err := filepath.EvalSymlinks(here); err == nil {
		if rel, ok := Rel(real, path); ok {
			return rel
		}
	}
	return path
}

// Upwards goes from dir, which is absolute, through the folders around it to root, both included. Where dir is not
// Within root there are none.
func Upwards(dir, root string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := dir; Within(root, at) && yield(at); at = filepath.Dir(at) {
			if at == filepath.Dir(at) {
				return // root is the file system's, and everything lies within that
			}
		}
	}
}
