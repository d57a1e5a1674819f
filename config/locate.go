package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Place is where a run's input lies: absolute paths without symbolic links.
type Place struct {
	Dir  string // folder of the input
	Root string // the repository that Dir lies in, or Dir itself where there is none
}

// Locate finds the place of an application: a file, a folder, or "" for the working directory.
func Locate(path string) (Place, error) {
	dir, err := realPath(path)
	if err != nil {
		return Place{}, diag.Input(diag.Position{}, fmt.Errorf("find %s: %w", path, reason(err)), "")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	if root, ok := Repository(dir); ok {
		return Place{Dir: dir, Root: root}, nil
	}
	return Place{Dir: dir, Root: dir}, nil
}

// marks are what stands at the top of a repository and nowhere else, and comes along where its files are packed without .git.
var marks = []string{".github", ".gitlab-ci.yml", ".gitea", ".forgejo"}

// Repository finds the repository that a folder lies in: the nearest folder upwards that holds .git, or else one of the
// marks of a repository that was unpacked without it. Dir is absolute and without links. A submodule belongs to the
// repository around it. What lies in the tree can only make the repository smaller.
func Repository(dir string) (root string, ok bool) {
	marked := ""
	for at := dir; ; at = filepath.Dir(at) {
		git := filepath.Join(at, ".git")
		if info, err := os.Lstat(git); err == nil {
			root, ok = at, true
			if info.IsDir() || !isSubmodule(git) {
				return root, true
			}
		}
		for _, m := range marks {
			if _, err := os.Lstat(filepath.Join(at, m)); err == nil && marked == "" {
				marked = at
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if !ok && marked != "" {
		return marked, true
	}
	return root, ok
}

// isSubmodule tells the .git file of a submodule from that of a worktree, which is a repository's root.
func isSubmodule(git string) bool {
	b, err := os.ReadFile(git)
	return err == nil && strings.Contains(filepath.ToSlash(string(b)), "/modules/")
}

// find gives the nearest configuration file from Dir up to Root, or "".
func (p Place) find() (string, error) {
	for at := p.Dir; within(p.Root, at); at = filepath.Dir(at) {
		file := filepath.Join(at, FileName)
		if _, err := os.Lstat(file); err == nil {
			return file, nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", diag.Usage(fmt.Errorf("find configuration: %w", err), "")
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return "", nil
}

// within tells whether path is root or lies in it. Both are absolute and clean.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// reason drops the path that the operating system's error repeats.
func reason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
