package lint

import (
	"slices"
	"strings"
	"testing"
)

// Paths are those of jq's own path(EXPRESSION) where it has one for a given input; what is computed counts as a whole.
func TestWhatAnExpressionSelects(t *testing.T) {
	for text, want := range map[string]string{
		".":                         "",
		".a.b":                      "a/b",
		`."a"["b"].["c"]`:           "a/b/c",
		".a[]?.b":                   "a/[]/b",
		".[1:]":                     ".[1:]",
		".a[.b]":                    "a/.[.b]",
		".a, (.b | .c)":             "a b/c",
		".a | (.b, .c)":             "a/b a/c",
		".a // .b":                  "a b",
		"try .a.b":                  "a/b",
		".a?":                       "a",
		"..|.a?":                    "../a",
		"recurse | objects | .a":    "../a",
		`select(.x == 1) | .a`:      "a",
		`.a | select(.x).b`:         "a/b",
		`getpath(["a", "b"]).c`:     "a/b/c",
		"getpath(.a)":               "-",
		".x as $x | .a":             "a",
		".a | to_entries[] | .b":    "a/[]/b",
		"to_entries":                "-",
		".. | to_entries":           "-",
		"1 + .a":                    "-",
		".a) | (.b":                 "-",
		strings.Repeat("(", 20_000): "-",
		strings.Repeat("(", 5000) + ".a" + strings.Repeat(")", 5000): "a",
	} {
		got := "-"
		q, err := parseJq(text)
		if err != nil {
			t.Errorf("%.80s: %v", text, err)
			continue
		}
		if q != nil {
			var paths []string
			for _, p := range jqPaths(q, [][]string{{}}) {
				paths = append(paths, strings.Join(p, "/"))
			}
			if len(paths) > 0 {
				got = strings.Join(slices.Compact(paths), " ")
			}
		}
		if got != want {
			t.Errorf("%.80s: %s, want %s", text, got, want)
		}
	}
}
