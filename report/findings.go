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
}

// Findings writes one line for each finding: severity, object, position, message and code.
func Findings(w io.Writer, fs []diag.Finding, style Style) {
	var out bytes.Buffer
	for _, f := range fs {
		write(&out, "", f, style)
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
