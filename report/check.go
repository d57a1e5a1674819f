package report

import (
	"bytes"
	"io"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// FindingsSchema is the version of the JSON that FindingsJSON writes. A field is added within a version, never removed or changed.
const FindingsSchema = 1

// FindingsJSON writes findings for programs.
func FindingsJSON(w io.Writer, found []diag.Finding) error {
	return encode(w, struct {
		Schema   int            `json:"schema"`
		Findings []diag.Finding `json:"findings"`
	}{FindingsSchema, list(found)})
}

// FindingsSARIF writes findings as SARIF 2.1.0.
func FindingsSARIF(w io.Writer, found []diag.Finding, version string) error {
	return DiffSARIF(w, &diff.Comparison{Findings: found}, version)
}

// FindingsGitHub writes findings as workflow commands.
func FindingsGitHub(out *bytes.Buffer, found []diag.Finding) {
	DiffGitHub(out, &diff.Comparison{Findings: found})
}

// FindingsGitLab writes findings as a Code Quality report.
func FindingsGitLab(w io.Writer, found []diag.Finding) error {
	return DiffGitLab(w, &diff.Comparison{Findings: found})
}
