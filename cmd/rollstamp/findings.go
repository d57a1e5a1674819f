package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/report"
)

// findingsTo is where a command whose standard output is manifests reports what it finds to programs: "FORMAT=FILE", or
// "github" alone for standard error, where GitHub reads workflow commands.
type findingsTo struct {
	format, file string
	withErrors   bool // where a host starts the command, which may drop standard error: a file for people has errors, too
}

func (t *findingsTo) add(c *cobra.Command) {
	c.Flags().Var(t, "findings",
		"report all findings to programs, too: json, sarif, github or gitlab, and the file, as sarif=FILE; "+
			"github alone writes workflow commands on standard error, and text=FILE holds what that hides")
}

// String returns it as it is written.
func (t *findingsTo) String() string {
	if t.file == "" {
		return t.format
	}
	return t.format + "=" + t.file
}

// Set reads what the user wrote.
func (t *findingsTo) Set(text string) error {
	format, file, _ := strings.Cut(text, "=")
	switch {
	case !slices.Contains(report.FindingsFormats(), format):
		err := fmt.Errorf("--findings %q: %q is not one of %s", text, format, strings.Join(report.FindingsFormats(), ", "))
		return diag.Usage(err, "")
	case file == "" && (format != "github" || strings.Contains(text, "=")):
		return diag.Usage(fmt.Errorf("--findings %q names no file", text),
			"Write "+format+"=FILE: standard error holds other lines, too.")
	}
	t.format, t.file = format, file
	return nil
}

// Type names the value in the help.
func (t *findingsTo) Type() string { return "FORMAT=FILE" }

// report reports what was found: to people as ever, and all of it to programs.
func (t *findingsTo) report(ctx context.Context, p *program, outcomes []fleet.Outcome) error {
	if t.format == "" {
		p.report(ctx, outcomes)
		return nil
	}
	all := p.findings(ctx, outcomes, func(diag.Finding) bool { return true })
	style := p.resultStyle()
	if t.format == "text" {
		style.Least, style.Color = diag.Info, false
	}
	var out bytes.Buffer
	if err := report.WriteFindings(&out, t.format, all, style); err != nil {
		return err
	}
	if t.file == "" {
		_, _ = out.WriteTo(p.err) // where standard error is closed, there is nobody to report to
		return nil
	}
	p.warn(all)
	_, err := fleet.WriteFile(t.file, &out)
	return err
}

// withErrorInFindings writes the error of a command into its file for people, where that is to have it: an error of its
// command line, too, as far as that was read.
func withErrorInFindings(p *program, c *cobra.Command, err error) error {
	flag := c.Flags().Lookup("findings")
	if err == nil || flag == nil {
		return err
	}
	t, ok := flag.Value.(*findingsTo)
	if !ok || !t.withErrors || t.format != "text" {
		return err
	}
	var out bytes.Buffer
	p.writeError(&out, err)
	_, failed := fleet.WriteFile(t.file, &out)
	if failed != nil && failed.Error() == err.Error() {
		return err
	}
	return errors.Join(err, failed)
}
