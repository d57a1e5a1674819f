package report

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// diffCount writes how many workloads restart, or start afresh where their application moves. Where not everything
// could be rendered, or what a controller renders or runs changes, there is no such number.
func diffCount(out *bytes.Buffer, c *diff.Comparison, _ Style) error {
	mayRestart := func(u diff.Unknown) bool {
		return u.Reason == diff.FailedReader || u.Reason == diff.Elsewhere && u.Change == ""
	}
	if c.HasFailures() || slices.ContainsFunc(c.Unknown, mayRestart) {
		return diag.Input(diag.Position{}, fmt.Errorf("count restarts: %s", Verdict(c)), "See why with -o text.")
	}
	fmt.Fprintln(out, Restarts(c)+restartsByRender(c)+startingElsewhere(c))
	return nil
}
