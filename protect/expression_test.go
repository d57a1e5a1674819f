package protect

import (
	"path"
	"regexp"
	"testing"
)

func TestAPatternIsTheSameAsAnExpression(t *testing.T) {
	t.Parallel()
	names := []string{"", "a", "b", "ab", "a.b", "axb", "blog", "blog-1", "blog-", "a/b", "a[b", "a*b", "a-b", "ä",
		"aäb"}
	for _, pattern := range []string{"*", "a", "a*", "*b", "a?b", "a.b", "[ab]", "[a-c]*", "[^a]*", "blog-*", `a\*b`,
		`a\[b`, "a[[]b", "a[*]b", `a[\-.]b`, "?", "*-[0-9]"} {
		r, err := regexp.Compile("^" + expression(pattern) + "$")
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		for _, name := range names {
			if want, _ := path.Match(pattern, name); r.MatchString(name) != want {
				t.Errorf("%s and %q: %v, want %v", pattern, name, !want, want)
			}
		}
	}
}
