package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages returns the paths of all pages from the top of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "tools/README.md", "e2e/README.md"}
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		out = append(out, "docs/"+filepath.Base(path))
	}
	return out
}

var (
	heading  = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	named    = regexp.MustCompile(`<a id="([^"]+)">`)
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan = regexp.MustCompile("`[^`\n]*`")
	unslug   = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors returns what links into a page may name after the #: its headings, as GitHub writes them, and its <a id>.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(withoutBlocks(text), -1) {
		title := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(m[1], "$1")
		slug := strings.ReplaceAll(unslug.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
		for name, n := slug, 1; ; n++ {
			if !out[name] {
				out[name] = true
				break
			}
			name = fmt.Sprintf("%s-%d", slug, n)
		}
	}
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}

// withoutBlocks returns a page without what stands between fences.
func withoutBlocks(text string) string {
	return regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(text, "")
}

func TestLinksOfThePagesLeadSomewhere(t *testing.T) {
	links, toAnchors := 0, 0
	for _, name := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(withoutBlocks(page(t, name)), "`code`"), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			path, anchor, deep := strings.Cut(m[1], "#")
			target := name
			if path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), path))
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
				continue
			}
			if deep {
				toAnchors++
				if !anchors(page(t, target))[anchor] {
					t.Errorf("%s links to %s, and %s has no such heading", name, m[1], target)
				}
			}
		}
	}
	if links < 60 || toAnchors < 20 {
		t.Errorf("only %d links were found, %d of them to anchors", links, toAnchors)
	}
}

func TestEveryPageIsReachedFromTheReadme(t *testing.T) {
	seen, next := map[string]bool{"README.md": true}, []string{"README.md"}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		for _, m := range link.FindAllStringSubmatch(page(t, name), -1) {
			path, _, _ := strings.Cut(m[1], "#")
			path = filepath.ToSlash(filepath.Join(filepath.Dir(name), path))
			if strings.HasSuffix(path, ".md") && !strings.Contains(m[1], "://") && !seen[path] {
				seen[path] = true
				next = append(next, path)
			}
		}
	}
	for _, name := range pages(t) {
		if strings.HasPrefix(name, "docs/") && !seen[name] {
			t.Errorf("no link leads to %s", name)
		}
	}
}
