package plain

import (
	"fmt"
	"path"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// glob is a pattern cut at its slashes. A segment "**" matches any number of folders, none too; within a segment the
// rules are those of path.Match. A pattern without a slash is matched against the last element of a path.
type glob []string

func globs(flag string, patterns []string) ([]glob, error) {
	out := make([]glob, 0, len(patterns))
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return nil, diag.Usage(fmt.Errorf("--%s %q: %w", flag, p, err), "A pattern takes *, ?, [a-z] and, for folders, **.")
		}
		out = append(out, strings.Split(strings.TrimPrefix(path.Clean(p), "/"), "/"))
	}
	return out, nil
}

func matchAny(gs []glob, rel string) bool {
	for _, g := range gs {
		if g.match(rel) {
			return true
		}
	}
	return false
}

// match walks pattern and path side by side; where they part it goes back to the last "**" and lets that take one
// folder more, so that the work is bounded by their lengths multiplied.
func (g glob) match(rel string) bool {
	if len(g) == 1 && g[0] != "**" {
		return segment(g[0], path.Base(rel))
	}
	parts := strings.Split(rel, "/")
	p, s := 0, 0
	star, taken := -1, 0
	for s < len(parts) {
		switch {
		case p < len(g) && g[p] == "**":
			star, taken = p, s
			p++
		case p < len(g) && segment(g[p], parts[s]):
			p, s = p+1, s+1
		case star >= 0:
			taken++
			p, s = star+1, taken
		default:
			return false
		}
	}
	for p < len(g) && g[p] == "**" {
		p++
	}
	return p == len(g)
}

func segment(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}
