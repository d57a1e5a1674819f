package report

import (
	"bytes"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// diffGitLab writes a comparison as a Code Quality report.
func diffGitLab(out *bytes.Buffer, c *diff.Comparison, _ Style) error {
	type lines struct {
		Begin int `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	issues := []issue{}
	for _, r := range remarks(c) {
		issues = append(issues, issue{
			Description: r.message, CheckName: r.rule, Fingerprint: r.fingerprint(),
			Severity: map[diag.Severity]string{diag.Info: "info", diag.Warning: "minor", diag.Failure: "major"}[r.severity],
			Location: location{or(r.file, "."), lines{max(r.line, 1)}},
		})
	}
	return encode(out, issues)
}
