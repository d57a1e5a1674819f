package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/report"
)

func (p *program) report() *cobra.Command {
	var fromJSON, exitZero bool
	var output string
	c := &cobra.Command{
		Use:   "report --from-json FILE...",
		Short: "Make a report of what rollstamp diff -o json wrote",
		Long: `Make another report of a comparison, or one of several that are the parts of one run: of a run with
--shard on many machines. What comes out is what one run over everything would have printed.`,
		Example: `  rollstamp diff 'apps/*' -o json > diff.json
  rollstamp report --from-json diff.json -o markdown > comment.md
  rollstamp report --from-json part-1.json part-2.json -o html > report.html`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := errors.Join(oneOf("output", output, diffFormats...), checkReport(fromJSON, args)); err != nil {
				return err
			}
			c, err := readComparisons(args)
			if err != nil {
				return err
			}
			return p.showDiff(c, output, exitZero)
		},
	}
	c.Flags().BoolVar(&fromJSON, "from-json", false, "the FILEs are what diff -o json wrote")
	c.Flags().BoolVar(&exitZero, "exit-zero", false, "end with 0 where something differs, too")
	c.Flags().StringVarP(&output, "output", "o", "text", "format: "+strings.Join(diffFormats, ", "))
	offer(c, "output", diffFormats...)
	return c
}

func checkReport(fromJSON bool, args []string) error {
	if !fromJSON || len(args) == 0 {
		return diag.Usage(errors.New("report takes --from-json and at least one FILE"), "Make one with rollstamp diff -o json.")
	}
	return nil
}

func readComparisons(names []string) (*diff.Comparison, error) {
	var parts []*diff.Comparison
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, diag.Input(diag.Position{}, fmt.Errorf("read comparison: %w", err), "")
		}
		c, err := report.ReadDiff(name, f)
		_ = f.Close() // it was only read
		if err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	return diff.Join(parts)
}
