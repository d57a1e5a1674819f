// Package report shows a Plan to people and programs: views of it, which compute nothing of their own.
package report

import (
	"bytes"
	"fmt"
	"io"

	"github.com/rollstamp/rollstamp/diag"
)

// Style is how findings are shown to a person.
type Style struct {
	Least diag.Severity // what ranks below is left out
	Color bool          // mark severities by colour
	Hints bool          // a second line with the next step
	Most  int           // how many of one code are shown before the rest is only counted; 0 is all
}

// Findings writes one line for each finding: severity, object, position, message and code.
func Findings(w io.Writer, fs []diag.Finding, style Style) {
	var out bytes.Buffer
	shown := map[diag.Code]int{}
	var more []diag.Finding // one of each code of which not all are shown
	for _, f := range fs {
		if shown[f.Code]++; style.Most == 0 || shown[f.Code] <= style.Most {
			write(&out, "", f, style)
		} else if shown[f.Code] == style.Most+1 {
			more = append(more, f)
		}
	}
	for _, f := range more {
		rest := fmt.Sprintf("%d more like this; -v shows all of them", shown[f.Code]-style.Most)
		write(&out, "", diag.Finding{Code: f.Code, Severity: f.Severity, Message: rest}, style)
	}
	_, _ = w.Write(out.Bytes()) // where standard error is closed, nobody can be told
}

func write(out *bytes.Buffer, indent string, f diag.Finding, style Style) {
	if !f.Severity.AtLeast(style.Least) {
		return
	}
	out.WriteString(indent + severity(f.Severity, style) + ": ")
	for _, part := range []string{f.Object, diag.Position{File: f.File, Line: f.Line}.String()} {
		if part != "" {
			out.WriteString(part + ": ")
		}
	}
	fmt.Fprintf(out, "%s [%s]\n", f.Message, f.Code)
	if style.Hints && f.Hint != "" {
		fmt.Fprintf(out, "%s  hint: %s\n", indent, f.Hint)
	}
}

func severity(s diag.Severity, style Style) string {
	colors := map[diag.Severity]string{diag.Info: "\x1b[36m", diag.Warning: "\x1b[33m", diag.Failure: "\x1b[31m"}
	if !style.Color || colors[s] == "" {
		return string(s)
	}
	return colors[s] + string(s) + "\x1b[0m"
}
