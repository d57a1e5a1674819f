package appset_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

// TestFilePatternsMatchAsInGit compares with git ls-files, which is what Argo CD runs.
func TestFilePatternsMatchAsInGit(t *testing.T) {
	names := []string{
		"a.json", "apps/a.json", "apps/b/a.json", "apps/b/c/a.json", "apps/b/c/d.yaml", "apps-two/a.json", "x[1]/a.json", "x1/a.json",
		"sp ace/a.json", "star*/a.json", "ä/a.json", ".hidden/a.json", "deep/.hidden/a.json", "apps/b.json", `back\slash/a.json`, "-/a.json", "]/a.json",
	}
	all := map[string]string{}
	for _, name := range names {
		all[name] = "{}"
	}
	dir := checkout(t, all)
	in := around(t, dir)
	for _, pattern := range []string{
		"a.json", "*.json", "**/a.json", "*/a.json", "apps", "apps/", "apps/*", "apps/*/a.json", "apps/**/a.json", "apps/**", "apps/?/a.json", "app?/a.json",
		"apps?b/a.json", "apps*", "x[1]/a.json", `x\[1\]/a.json`, "x[0-9]/a.json", "x[!2]/a.json", "x[^2]/*", "[a-z]*/b/*", "star*/a.json", `star\*/a.json`, "./apps/a.json",
		"apps/b/../a.json", "apps//a.json", "*", ".", "sp*", "ä/*", "?/a.json", "??/a.json", "*hidden*", "[]]/a.json", "[", "x[1", `back\\slash/a.json`, "[!]a]/a.json", "nothing", "apps/a.json/",
	} {
		listed := git(t, dir, "-c", "core.quotePath=false", "ls-files", "--full-name", "-z", "--", pattern)
		want := strings.FieldsFunc(listed, func(c rune) bool { return c == 0 })
		files := "files: [{path: '" + strings.ReplaceAll(pattern, "'", "''") + "'}]"
		got, err := makes(t, in, set("  - git: {repoURL: "+repoURL+", revision: HEAD, "+files+"}",
			`n{{ printf "%s/%s" .path.path .path.filename | sha1sum }}`, "{{ .path.path }}/{{ .path.filename }}", "", goTemplate))
		for i, line := range got {
			_, path, _ := strings.Cut(line, " ")
			got[i] = strings.TrimPrefix(path, "./")
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q means %q, %v; git says %q", pattern, got, err, want)
		}
	}
}
