package sides

import (
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
)

// CheckedOut returns what is checked out where patterns look, the files that differ from it included, but for those in
// one folder, which may lie there; and, as a setting, the working folder. Outside of a repository both are nil.
func CheckedOut(patterns []string, without string) (*diff.Commits, []diff.Setting, error) {
	at := "."
	if len(patterns) > 0 {
		at = folderOf(filepath.FromSlash(patterns[0]))
	}
	repo, err := git.Open(at)
	if err != nil {
		return nil, nil, nil //nolint:nilerr // what is rendered need not be in one
	}
	defer func() { _ = repo.Close() }() // it was only read from
	here, err := filepath.Abs(".")
	if err != nil {
		return nil, nil, err
	}
	top, err := files.SeenFrom(here, repo.Top)
	if err != nil {
		return nil, nil, err
	}
	folder := workingFolder(top, here)
	head, err := repo.Tree("HEAD")
	if err != nil {
		return nil, folder, nil //nolint:nilerr // there is none before the first commit
	}
	if without, err = filepath.Abs(without); err != nil {
		return nil, nil, err
	}
	var paths []string
	for _, pattern := range patterns {
		for _, path := range allBut(without, appendAbs(nil, folderOf(pattern))...) {
			if rel, ok := files.Rel(top, path); ok {
				paths = append(paths, filepath.Join(repo.Top, rel))
			}
		}
	}
	changes := repo.Changes(head.InWorkTree(), paths...)
	return &diff.Commits{Head: head.Commit, Modified: changes != "", Changes: changes}, folder, nil
}

// allBut returns what covers paths but for one folder: each path as it is, or what is in it.
func allBut(without string, paths ...string) (out []string) {
	for _, path := range paths {
		rel, isIn := files.Rel(path, without)
		switch {
		case !isIn:
			out = append(out, path)
		case rel != ".":
			entries, _ := os.ReadDir(path) // what cannot be listed nobody reads
			for _, e := range entries {
				out = append(out, allBut(without, filepath.Join(path, e.Name()))...)
			}
		}
	}
	return out
}

// workingFolder returns, as a setting, the working folder where it is not the top of the repository: paths that are
// written in one way are others there.
func workingFolder(top, here string) []diff.Setting {
	rel, ok := files.Rel(top, here)
	if !ok || rel == "." {
		return nil
	}
	return []diff.Setting{{Name: "the working folder " + filepath.ToSlash(rel)}}
}
