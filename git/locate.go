package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// dirs are a repository's folders.
type dirs struct {
	top    string // see Repository
	bare   bool
	git    string // HEAD lies here
	common string // objects, references and configuration; as git, but for a further work tree of a repository
}

const marker = ".git"

// locate looks for a repository at path and above.
func locate(path string) (dirs, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return dirs{}, fmt.Errorf("find the repository of %s: %w", path, err)
	}
	at := abs
	for ; at != filepath.Dir(at); at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
			break
		} // what is gone from the disk may be in a revision
	}
	for ; ; at = filepath.Dir(at) {
		found, ok, err := repositoryAt(at)
		if ok || err != nil {
			return found, err
		}
		if at == filepath.Dir(at) {
			return dirs{}, diag.Input(diag.Position{File: path}, errors.New("not in a Git repository"), "")
		}
	}
}

// repositoryAt reports whether dir is the top of a work tree, or a bare repository.
func repositoryAt(dir string) (found dirs, ok bool, err error) {
	git := filepath.Join(dir, marker)
	info, err := os.Stat(git)
	switch {
	case err == nil && info.IsDir() && isGitDir(git):
		found = dirs{top: dir, git: git}
	case err == nil && !info.IsDir():
		if git, err = follow(git); err != nil {
			return dirs{}, false, err
		}
		found = dirs{top: dir, git: git}
	case isGitDir(dir):
		found = dirs{top: dir, git: dir, bare: true}
	default:
		return dirs{}, false, nil
	}
	found.common, err = commonOf(found.git)
	return found, err == nil, err
}

// isGitDir reports whether a folder holds a repository's own data.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common, err := commonOf(dir)
	if err != nil {
		return false
	}
	for _, part := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, part)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// follow reads the file .git that submodules and further work trees have instead of a folder.
func follow(file string) (string, error) {
	text, err := readSmall(file)
	if err != nil {
		return "", unreadable(file, err)
	}
	path, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok {
		return "", diag.Input(diag.Position{File: file}, errors.New("not a link to a Git repository"), "")
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	if !isGitDir(path) {
		return "", diag.Input(diag.Position{File: file}, fmt.Errorf("leads to %s, which holds no Git repository", path),
			"Mount or copy that folder too, or look what git worktree repair can do.")
	}
	return path, nil
}

// commonOf returns the folder that a work tree's data is shared with.
func commonOf(git string) (string, error) {
	file := filepath.Join(git, "commondir")
	path, err := readSmall(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return git, nil
	case err != nil:
		return "", unreadable(file, err)
	case filepath.IsAbs(path):
		return filepath.Clean(path), nil
	}
	return filepath.Join(git, filepath.FromSlash(path)), nil
}

// smallFile bounds the files of a few lines in a repository's folder.
const smallFile = 1 << 20

// readSmall returns the text of a small file without the space at its end.
func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("not a regular file")
	case info.Size() > smallFile:
		return "", fmt.Errorf("larger than %d bytes", smallFile)
	}
	b, err := os.ReadFile(path)
	return strings.TrimRight(string(b), " \t\r\n"), err
}

func unreadable(path string, err error) error {
	return diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), "")
}
