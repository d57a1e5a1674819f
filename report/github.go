package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// diffGitHub writes a comparison as workflow commands, which GitHub shows as annotations at the lines. It takes ten of
// a kind for each step; what is more is left to the job's summary, which is the Markdown.
func diffGitHub(out *bytes.Buffer, c *diff.Comparison, _ Style) error {
	const take = 10
	shown := map[string]int{}
	for _, r := range remarks(c) {
		kind := map[diag.Severity]string{diag.Info: "notice", diag.Warning: "warning", diag.Failure: "error"}[r.severity]
		if shown[kind]++; shown[kind] > take {
			continue
		}
		var at []string
		if r.file != "" {
			at = append(at, "file="+property(r.file))
			if r.line > 0 {
				at = append(at, fmt.Sprint("line=", r.line))
			}
		}
		at = append(at, "title="+property("rollstamp: "+r.rule))
		fmt.Fprintf(out, "::%s %s::%s\n", kind, strings.Join(at, ","), escapeCommand(r.message))
	}
	return nil
}

// escapeCommand and property write what a workflow command's text, and a property of it, may not hold.
func escapeCommand(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(visible(lines[i]), "%", "%25")
	}
	return strings.Join(lines, "%0A")
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeCommand(s))
}
