package sides

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// uses is what templates may read of the files of their chart.
type uses struct {
	patterns [][2]string // how the names of files begin and end
	computed bool        // some read others, too
}

// literal matches what templates read by a name or a pattern that is written out.
var literal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\\.(?:Get|GetBytes|Glob|Lines)[ \t]+(?:\"([^\"\\\\\n]*)\"|`([^`]*)`)")
})

// add takes what a text names that may be a template.
func (u *uses) add(text string) {
	u.computed = u.computed || strings.Contains(text, `"Files"`) || strings.Contains(text, "`Files`")
	for _, after := range strings.Split(text, ".Files")[1:] {
		m := literal().FindStringSubmatch(after)
		if m == nil {
			u.computed = true
			continue
		}
		u.patterns = append(u.patterns, endsOf(m[1]+m[2]))
	}
}

// endsOf returns what the names that match a pattern begin and end with.
func endsOf(pattern string) [2]string {
	const special = `*?[]{}\`
	first := strings.IndexAny(pattern, special)
	if first < 0 {
		return [2]string{path.Clean(pattern), ""}
	}
	return [2]string{pattern[:first], pattern[strings.LastIndexAny(pattern, special)+1:]}
}

// name reports whether a template may read a file of a chart.
func (u *uses) name(chart, file string) bool {
	rel, err := filepath.Rel(chart, file)
	rel = filepath.ToSlash(rel)
	for _, p := range u.patterns {
		if strings.HasPrefix(rel, p[0]) && strings.HasSuffix(rel, p[1]) {
			return true
		}
	}
	return err != nil
}
