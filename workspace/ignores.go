package workspace

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/rollstamp/rollstamp/git"
)

// ignores are the rules by which Git leaves files of a work tree out: what nobody will commit, no engine will see.
// Only files .gitignore in the tree count.
type ignores struct{ patterns []gitignore.Pattern }

// in returns the rules for a folder, with those that the folder adds.
func (g *ignores) in(folder string, entries []fs.DirEntry, read func(string) ([]byte, error)) *ignores {
	const name = ".gitignore"
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.Type().IsRegular() }) {
		return g
	}
	text, err := read(path.Join(folder, name))
	if err != nil {
		return g
	}
	var domain []string
	if folder != "" {
		domain = strings.Split(folder, "/")
	}
	return &ignores{slices.Concat(g.patterns, git.IgnoreRules(text, domain))}
}

// takes reports whether a file or folder is left out.
func (g *ignores) takes(name string, dir bool) bool {
	return len(g.patterns) > 0 && gitignore.NewMatcher(g.patterns).Match(strings.Split(name, "/"), dir)
}
