// Package report writes a plan, a comparison, findings or a graph for people and programs. Its views compute nothing of
// their own: each format is a file and a row in the table of formats.
package report

import (
	"bytes"
	"fmt"
	"io"

	"github.com/rollstamp/rollstamp/diag"
)

// Style is how a report is shown. The formats for programs use its Version and Label only.
type Style struct {
	Least   diag.Severity // findings that rank below are left out
	Color   bool          // mark severities and changes by colour
	Hints   bool          // a second line with the next step
	Most    int           // how many findings of one code are shown before the rest is only counted; 0 is all
	All     bool          // every field of every object
	Version string        // of rollstamp, for formats that name the tool
	Label   string        // what a graph is of
}

// findingsText writes findings for a person.
func findingsText(out *bytes.Buffer, found []diag.Finding, style Style) error {
	Findings(out, found, style)
	return nil
}

// Findings writes one line for each finding: severity, object, position, message and code.
func Findings(w io.Writer, fs []diag.Finding, style Style) {
	pick := Pick{Style: style}
	var taken []diag.Finding // of many that are only counted there is no copy
	for _, f := range fs {
		if pick.Takes(f) {
			taken = append(taken, f)
		}
	}
	pick.Write(w, taken)
}

// Pick chooses the findings that a style shows, one after the other, for callers to whom each shown one has a cost.
type Pick struct {
	Style Style
	taken map[diag.Code]int
	hints map[string]bool // that are written
	more  []diag.Finding  // one of each code of which not all are shown
}

// Takes reports whether a finding is to be shown.
func (p *Pick) Takes(f diag.Finding) bool {
	if !isShown(f, p.Style) {
		return false
	}
	if p.taken == nil {
		p.taken = map[diag.Code]int{}
	}
	p.taken[f.Code]++
	most := p.most(f.Code)
	if most > 0 && p.taken[f.Code] == most+1 {
		p.more = append(p.more, f)
	}
	return most == 0 || p.taken[f.Code] <= most
}

// most returns how many findings of a code are shown; 0 is all.
func (p *Pick) most(code diag.Code) int {
	if p.Style.Most > 0 && diag.IsOfRun(code) {
		return 1
	}
	return p.Style.Most
}

// isShown reports whether a style shows a finding.
func isShown(f diag.Finding, style Style) bool { return f.Notice || f.Severity.AtLeast(style.Least) }

// Write writes the findings that were taken, and how many were not.
func (p *Pick) Write(w io.Writer, taken []diag.Finding) {
	var out bytes.Buffer
	for _, f := range taken {
		p.write(&out, "", f)
	}
	for _, f := range p.more {
		rest := fmt.Sprintf("%d more like this; -v shows all of them", p.taken[f.Code]-p.most(f.Code))
		p.write(&out, "", diag.Finding{Code: f.Code, Severity: f.Severity, Message: rest, Notice: f.Notice})
	}
	_, _ = w.Write(out.Bytes()) // where standard error is closed, nobody reads it
}

// write writes a finding, with its hint where that is not written yet: what follows has it, too.
func (p *Pick) write(out *bytes.Buffer, indent string, f diag.Finding) {
	style := p.Style
	if !isShown(f, style) {
		return
	}
	out.WriteString(indent + severity(f.Severity, style) + ": ")
	for _, part := range []string{f.Object, f.Position().String()} {
		if part != "" {
			out.WriteString(Visible(part) + ": ")
		}
	}
	fmt.Fprintf(out, "%s [%s]\n", Visible(f.Message), f.Code)
	ofRun := diag.IsOfRun(f.Code) && f.Severity.AtLeast(diag.Warning)
	if (style.Hints || f.Notice || ofRun) && f.Hint != "" && !p.hints[f.Hint] {
		if p.hints == nil {
			p.hints = map[string]bool{}
		}
		p.hints[f.Hint] = true
		fmt.Fprintf(out, "%s  hint: %s\n", indent, Visible(f.Hint))
	}
}

func severity(s diag.Severity, style Style) string {
	colors := map[diag.Severity]string{diag.Info: "\x1b[36m", diag.Warning: "\x1b[33m", diag.Failure: "\x1b[31m"}
	if !style.Color || colors[s] == "" {
		return string(s)
	}
	return colors[s] + string(s) + "\x1b[0m"
}
