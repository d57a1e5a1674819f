package docs

import (
	"regexp"
	"strings"
	"testing"
)

// quoted matches what a shell does not expand.
var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"`)

// A pattern of folders that the shell expands no longer finds what is gone: a check of what was deleted passes.
func TestPatternsOfApplicationsAreQuoted(t *testing.T) {
	commands := 0
	for _, name := range pages(t) {
		for i, line := range strings.Split(page(t, name), "\n") {
			command := strings.TrimSpace(line)
			if !strings.HasPrefix(command, "rollstamp ") {
				continue
			}
			commands++
			command, _, _ = strings.Cut(quoted.ReplaceAllString(command, ""), " #")
			for _, word := range strings.Fields(command) {
				if strings.HasSuffix(word, "/*") {
					t.Errorf("%s:%d: %s is without quotes: %s", name, i+1, word, line)
				}
			}
		}
	}
	if commands < 100 {
		t.Errorf("only %d commands were looked at", commands)
	}
}
