package apps

import (
	"errors"
	"path"
	"strings"
)

// pathspec is a pattern as git ls-files takes it: a file, a folder with all that lies below, or a glob whose * and ? stand for slashes,
// too.
type pathspec struct {
	text string
	glob bool
}

func newPathspec(text string) (pathspec, error) {
	if strings.HasPrefix(text, ":") {
		return pathspec{}, errors.New("patterns that begin with a colon are not understood")
	}
	folder := strings.HasSuffix(text, "/")
	clean := path.Clean(text)
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return pathspec{}, errors.New("the pattern leads out of the repository")
	}
	if clean == "." {
		clean = ""
	} else if folder {
		clean += "/"
	}
	return pathspec{clean, strings.ContainsAny(clean, `*?[\`)}, nil
}

// takes reports whether a file, by its path from the top of the repository, is meant.
func (p pathspec) takes(file string) bool {
	if p.text == "" || file == p.text || strings.HasPrefix(file, strings.TrimSuffix(p.text, "/")+"/") {
		return true
	}
	return p.glob && wild(p.text, file)
}

// wild matches a glob whose stars and question marks stand for any byte.
func wild(pattern, text string) bool {
	for pattern != "" {
		if pattern[0] == '*' {
			pattern = strings.TrimLeft(pattern, "*")
			for i := range len(text) + 1 {
				if wild(pattern, text[i:]) {
					return true
				}
			}
			return false
		}
		if text == "" {
			return false
		}
		rest, ok := one(pattern, text[0])
		if !ok {
			return false
		}
		pattern, text = rest, text[1:]
	}
	return text == ""
}

// one matches the first element of a pattern, which is no star, with a byte, and returns what is left of the pattern.
func one(pattern string, c byte) (rest string, ok bool) {
	switch pattern[0] {
	case '?':
		return pattern[1:], true
	case '[':
		return class(pattern, c)
	case '\\':
		if len(pattern) > 1 {
			return pattern[2:], pattern[1] == c
		}
	}
	return pattern[1:], pattern[0] == c
}

// class matches [abc], [a-z], [!a] and [^a].
func class(pattern string, c byte) (rest string, ok bool) {
	i, not, found := 1, false, false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		not = true
		i++
	}
	for first := true; i < len(pattern) && (first || pattern[i] != ']'); first = false {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		low := pattern[i]
		high := low
		if i+2 < len(pattern) && pattern[i+1] == '-' && pattern[i+2] != ']' {
			high = pattern[i+2]
			i += 2
		}
		found = found || low <= c && c <= high
		i++
	}
	if i >= len(pattern) {
		return "", false // not closed: git matches nothing
	}
	return pattern[i+1:], found != not
}
