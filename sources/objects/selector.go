package objects

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// requirement is one of a label selector that is written as text: "a", "!a", "a=b", "a!=b", "a in (b,c)", "a notin (b,c)".
var requirement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(!?)\s*([^\s!=,()]+)\s*(?:(==?|!=)\s*([^\s!=,()]*)|(in|notin)\s*\(([^()]*)\))?$`)
})

// between finds the commas that stand between requirements, each with the one before it.
var between = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^,(]*(?:\([^)]*\))?[^,(]*`) })

// fits reports whether a label selector that is written as text takes something with these labels in. One that cannot be read takes nothing.
func fits(selector string, label func(key string) (value string, there bool)) bool {
	for _, text := range between().FindAllString(selector, -1) {
		m := requirement().FindStringSubmatch(strings.TrimSpace(text))
		if m == nil {
			return false
		}
		value, there := label(m[2])
		among := func(values []string) bool {
			return there && slices.ContainsFunc(values, func(v string) bool { return strings.TrimSpace(v) == value })
		}
		is := there
		switch {
		case m[1] != "" && (m[3] != "" || m[5] != ""):
			return false
		case m[1] != "":
			is = !there
		case m[3] == "!=":
			is = !among(m[4:5])
		case m[3] != "":
			is = among(m[4:5])
		case m[5] == "in":
			is = among(strings.Split(m[6], ","))
		case m[5] != "":
			is = !among(strings.Split(m[6], ","))
		}
		if !is {
			return false
		}
	}
	return true
}
