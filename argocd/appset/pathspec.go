package appset

import (
	"context"
	"errors"
	"path"
	"strings"
)

// pathspec is a pattern as git ls-files takes it: a file, a folder with everything below it, or a glob whose * and ?
// match slashes, too.
type pathspec struct {
	text string
	glob glob // nil where the text has no wildcard
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
	spec := pathspec{text: clean}
	if strings.ContainsAny(clean, `*?[\`) {
		spec.glob = parseGlob(clean)
	}
	return spec, nil
}

// matches reports whether the pattern means a file, by its path from the top of the repository.
func (p pathspec) matches(ctx context.Context, file string) (bool, error) {
	if p.text == "" || file == p.text || strings.HasPrefix(file, strings.TrimSuffix(p.text, "/")+"/") {
		return true, nil
	}
	if p.glob == nil {
		return false, ctx.Err()
	}
	return p.glob.matches(ctx, file)
}

// glob is a pattern whose stars and question marks match any byte. No library reads patterns as git does: there
// classes know ^ besides !, braces are literal, and an unclosed class matches nothing.
type glob []element

// element matches one byte of a text, or as a star any number of bytes.
type element struct {
	star  bool
	bytes byteSet
}

// byteSet is a set of bytes.
type byteSet [256 / 64]uint64

func (s *byteSet) add(c byte)      { s[c/64] |= 1 << (c % 64) }
func (s *byteSet) has(c byte) bool { return s[c/64]&(1<<(c%64)) != 0 }

// invert turns the set into that of all other bytes.
func (s *byteSet) invert() {
	for i := range s {
		s[i] = ^s[i]
	}
}

func parseGlob(pattern string) glob {
	var g glob
	for pattern != "" {
		if pattern[0] == '*' {
			g = append(g, element{star: true})
			pattern = strings.TrimLeft(pattern, "*")
			continue
		}
		set, rest := parseElement(pattern)
		g, pattern = append(g, element{bytes: set}), rest
	}
	return g
}

// parseElement reads the first element of a pattern, which is no star, and returns the rest of the pattern.
func parseElement(pattern string) (set byteSet, rest string) {
	switch c := pattern[0]; {
	case c == '?':
		set.invert()
	case c == '[':
		return parseClass(pattern)
	case c == '\\' && len(pattern) > 1:
		set.add(pattern[1])
		return set, pattern[2:]
	default:
		set.add(c)
	}
	return set, pattern[1:]
}

// parseClass reads [abc], [a-z], [!a] or [^a]. One that is not closed matches nothing, as in git.
func parseClass(pattern string) (set byteSet, rest string) {
	i, negated := 1, false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		negated = true
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
		for c := int(low); c <= int(high); c++ {
			set.add(byte(c))
		}
		i++
	}
	if i >= len(pattern) {
		return byteSet{}, ""
	}
	if negated {
		set.invert()
	}
	return set, pattern[i+1:]
}

// restartsPerCheck is how often a match tries the last star again before it looks whether the context is done.
const restartsPerCheck = 256

// matches reports whether the whole text matches. Only the last star is tried again, so the time is at most the product
// of both lengths.
func (g glob) matches(ctx context.Context, text string) (bool, error) {
	star, from := -1, 0 // the last star, and the first byte that it does not match
	at, restarts := 0, 0
	for i := 0; i < len(text); {
		switch {
		case at < len(g) && g[at].star:
			star, from = at, i
			at++
		case at < len(g) && g[at].bytes.has(text[i]):
			at++
			i++
		case star < 0:
			return false, nil
		default:
			if restarts++; restarts%restartsPerCheck == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			from++
			at, i = star+1, from
		}
	}
	for at < len(g) && g[at].star {
		at++
	}
	return at == len(g), nil
}
