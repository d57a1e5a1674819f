package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet/results"
	"github.com/rollstamp/rollstamp/report"
)

func newReport(p *program) *cobra.Command {
	var fromJSON, exitZero bool
	var output string
	c := &cobra.Command{
		Use:   "report --from-json FILE...",
		Short: "Make a report of what rollstamp diff or explain wrote as JSON",
		Long: `Make another report of a comparison, or one of several that are the parts of one run: of a run with
--shard on many machines. What comes out is what one run over everything would have printed, but for some of
what applications of two parts read of each other. A folder stands for the parts in it, as rollstamp fleet
part writes them.

What rollstamp explain wrote, of one application or several, can be reported as text or JSON. An
application that failed comes first, and the exit code is 3, as it was for explain.`,
		Example: `  rollstamp diff 'apps/*' -o json > diff.json
  rollstamp report --from-json diff.json -o markdown > comment.md
  rollstamp diff charts/web -o json | rollstamp report --from-json - -o html > report.html
  rollstamp report --from-json part-1.json part-2.json -o html > report.html
  rollstamp report --from-json /results/run-1 -o markdown
  rollstamp explain charts/web -o json > web.json
  rollstamp report --from-json web.json`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := errors.Join(oneOf("output", output, report.DiffFormats()...), checkReport(fromJSON, args)); err != nil {
				return err
			}
			return runReport(p, args, output, exitZero)
		},
	}
	c.Flags().BoolVar(&fromJSON, "from-json", false, "the FILEs are what diff -o json or explain -o json wrote; - is standard input")
	c.Flags().BoolVar(&exitZero, "exit-zero", false,
		"end with 0 where something differs, too, but for protected objects")
	c.Flags().StringVarP(&output, "output", "o", "text", "format: "+strings.Join(report.DiffFormats(), ", "))
	offer(c, "output", report.DiffFormats()...)
	return c
}

func checkReport(fromJSON bool, args []string) error {
	isInput := func(name string) bool { return name == "-" }
	switch first := slices.IndexFunc(args, isInput); {
	case !fromJSON || len(args) == 0:
		return diag.Usage(errors.New("report takes --from-json and at least one FILE"),
			"Make one with rollstamp diff -o json.")
	case first >= 0 && slices.ContainsFunc(args[first+1:], isInput):
		return diag.Usage(errors.New("standard input can be read once"), "Write the other part into a file.")
	}
	return nil
}

func runReport(p *program, args []string, output string, exitZero bool) error {
	names, err := resultFiles(args)
	if err != nil {
		return err
	}
	var parts []*diff.Comparison
	for _, name := range names {
		one, err := p.readReport(name)
		switch {
		case err != nil:
			return err
		case one.IsPlan() && len(names) > 1:
			return diag.Usage(fmt.Errorf("%s is what explain wrote, which is no part of another report", name),
				"Name it alone.")
		case one.IsPlan():
			return reportPlan(p, one, output)
		}
		parts = append(parts, one.Diff)
	}
	c, err := diff.Join(parts)
	if err != nil {
		return err
	}
	if of := parts[0].Shard; of != nil && of.Release != release {
		fmt.Fprintf(p.err, "note: the parts were made by %s, and are joined by %s: what one of them finds, the other may not\n",
			diff.ReleaseName(of.Release), diff.ReleaseName(release))
	}
	return showDiff(p, c, output, exitZero)
}

// resultFiles returns the files that arguments name, of a folder those of its parts.
func resultFiles(args []string) (names []string, err error) {
	for _, arg := range args {
		in := []string{arg}
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			if in, err = results.ResultsIn(arg); err != nil {
				return nil, err
			}
		}
		names = append(names, in...)
	}
	return names, nil
}

func (p *program) readReport(name string) (report.Result, error) {
	if name == "-" {
		return report.Read("standard input", p.in)
	}
	f, err := os.Open(name)
	if err != nil {
		return report.Result{}, diag.Input(diag.Position{File: name}, fmt.Errorf("read report: %w", files.Cause(err)),
			"It is what rollstamp diff or explain writes with -o json.")
	}
	defer f.Close()
	return report.Read(name, f)
}

// reportPlan prints what explain wrote in another format.
func reportPlan(p *program, read report.Result, output string) error {
	if !slices.Contains(report.ExplainFormats(), output) {
		err := fmt.Errorf("what explain wrote is not reported as %s", output)
		return diag.Usage(err, "-o takes "+strings.Join(report.ExplainFormats(), " or ")+" for it.")
	}
	if read.Plan != nil {
		return showPlan(p, read.Plan, output)
	}
	if read.HasFailures() {
		p.exit = diag.ExitInput
	}
	return showPlans(p, read.Plans, output)
}
