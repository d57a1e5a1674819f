package files

import (
	"io/fs"
	"path/filepath"
)

// Union shows trees, each in its place, and what another system shows elsewhere. Of trees that hold a path the first
// counts.
type Union struct {
	Trees []Mount
	Rest  System // nil is the disk
}

var _ System = Union{}

// Add returns a system that shows a tree in its place and the files of another system elsewhere.
func Add(tree Mount, system System) Union {
	if u, ok := system.(Union); ok {
		return Union{append([]Mount{tree}, u.Trees...), u.Rest}
	}
	return Union{[]Mount{tree}, system}
}

// of returns the system that a path lies in.
func (u Union) of(path string) System {
	if abs, err := filepath.Abs(path); err == nil {
		for _, tree := range u.Trees {
			if Within(tree.At, abs) {
				return tree
			}
		}
	}
	return OrDisk(u.Rest)
}

// IsOnDisk reports whether a system shows the disk at a path, where it may be written to.
func IsOnDisk(system System, path string) bool {
	if u, ok := system.(Union); ok {
		return IsOnDisk(u.of(path), path)
	}
	_, ok := OrDisk(system).(Disk)
	return ok
}

// ReadFile reads from the tree that path lies in, or the rest.
func (u Union) ReadFile(path string) ([]byte, error) { return u.of(path).ReadFile(path) }

// Stat describes what lies in the tree that path lies in, or in the rest.
func (u Union) Stat(path string) (fs.FileInfo, error) { return u.of(path).Stat(path) }

// Lstat describes what lies in the tree that path lies in, or in the rest.
func (u Union) Lstat(path string) (fs.FileInfo, error) { return u.of(path).Lstat(path) }

// ReadDir lists a folder of the tree that path lies in, or of the rest.
func (u Union) ReadDir(path string) ([]fs.DirEntry, error) { return u.of(path).ReadDir(path) }

// Real resolves the links of the tree that path lies in, or of the rest.
func (u Union) Real(path string) (string, error) { return u.of(path).Real(path) }
