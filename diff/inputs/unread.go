package inputs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Scope is where changed files are looked for, and who may read them. Paths are absolute.
type Scope struct {
	Dirs   []string        // folders that hold what was compared
	Same   map[string]bool // applications of which nothing changed
	Failed []string        // applications of which it is not known what they read
	Read   []string        // what all others read, on either side
}

// UnreadFiles returns the files in a scope that changed and that nobody reads, sorted. What documents, and what is
// there for other tools than a renderer (files that begin with a dot), is left out.
func (c *Comparer) UnreadFiles(scope Scope) []string {
	read := make(map[string]bool, len(scope.Read))
	for _, path := range scope.Read {
		read[path] = true
	}
	skip := func(dir string) bool {
		return scope.Same[dir] || slices.Contains(scope.Failed, dir) || strings.HasPrefix(filepath.Base(dir), ".")
	}
	var out []string
	for _, dir := range scope.Dirs {
		if !skip(dir) {
			out = append(out, c.sides.ChangedFiles(dir, skip)...)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(path string) bool {
		return read[path] || isProse(path) || slices.ContainsFunc(scope.Failed, func(app string) bool {
			return files.Within(app, path)
		})
	})
}

// prose are the endings of files that are for people.
var prose = []string{".md", ".markdown", ".gotmpl", ".rst", ".adoc", ".png", ".svg", ".jpg", ".jpeg", ".gif", ".drawio",
	".pdf"}

// isProse reports whether a file is for people or other tools, or one of ours, which all applications read.
func isProse(path string) bool {
	name := filepath.Base(path)
	switch name {
	case config.FileName, lock.FileName, "LICENSE", "NOTICE", "OWNERS", "CODEOWNERS", "Makefile", "Dockerfile":
		return true
	}
	return strings.HasPrefix(name, ".") || slices.Contains(prose, strings.ToLower(filepath.Ext(name)))
}
