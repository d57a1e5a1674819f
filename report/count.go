package report

import (
	"bytes"
	"fmt"

	"github.com/rollstamp/rollstamp/diff"
)

// diffCount writes how many workloads restart.
func diffCount(out *bytes.Buffer, c *diff.Comparison, _ Style) error {
	fmt.Fprintln(out, Restarts(c))
	return nil
}
