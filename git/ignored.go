package git

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// isForeign reports whether a path that is only in the work tree will be in no commit: what is not checked out and is
// ignored, and other repositories. A new file is the repository's, whether it was added or not.
func (s Sides) isForeign(path string) bool {
	if s.To != nil || s.Head == nil {
		return false
	}
	if _, err := s.Head.ID(s.rel(path)); err == nil {
		return false
	}
	if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
		return true
	}
	return s.isIgnored(path)
}

// isIgnored reports whether the rules of the repository, in .gitignore files and .git/info/exclude, leave a path of the
// work tree out.
func (s Sides) isIgnored(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return true
	}
	parts := strings.Split(s.rel(path), "/")
	rules := ignoreRules(filepath.Join(s.Top, ".git", "info", "exclude"), nil)
	for i := range parts {
		dir := filepath.Join(s.Top, filepath.Join(parts[:i]...))
		rules = append(rules, ignoreRules(filepath.Join(dir, ".gitignore"), parts[:i:i])...)
	}
	return gitignore.NewMatcher(rules).Match(parts, info.IsDir())
}

// ignoreRules returns the rules of a file for a folder; none where there is no such file.
func ignoreRules(path string, dir []string) []gitignore.Pattern {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return IgnoreRules(text, dir)
}

// IgnoreRules returns the rules in the text of a file such as .gitignore, for the folder that it lies in, as the names
// on the way there from the top; nil is the top.
func IgnoreRules(text []byte, dir []string) (rules []gitignore.Pattern) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" && line[0] != '#' {
			rules = append(rules, gitignore.ParsePattern(line, dir))
		}
	}
	return rules
}
