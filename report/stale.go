package report

import (
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// staleSection lists the workloads that restart when they are stamped again, and not as they are.
func staleSection(c *diff.Comparison) section {
	title := diag.Count(len(c.Stale), "workload") + " would restart if stamped again: their stamps are stale"
	if len(c.Stale) == 1 {
		title = "1 workload would restart if stamped again: its stamps are stale"
	}
	out := section{Part: outdated, Title: title}
	for _, s := range c.Stale {
		out.Items = append(out.Items, item{Head: s.Name.String(), App: appOf(c, s.App), Lines: causeLines(s.Causes)})
	}
	out.Items = fold(out.Items, func(n int) string { return diag.Count(n, "workload") })
	if len(out.Items) > 0 {
		out.Note = "The manifests have these stamps: write them again with 'rollstamp stamp --in-place' or " +
			"'rollstamp flux stamp'."
	}
	return out
}

// staleRemarks lists the workloads with stale stamps.
func staleRemarks(c *diff.Comparison) []remark {
	var out []remark
	for _, s := range c.Stale {
		message := s.Name.String() + " would restart if stamped again, as its stamps are stale: " +
			causesText(diff.Restart{Causes: s.Causes})
		out = append(out, remark{"stale-stamps", diag.Warning, message, s.File, s.Line, ""})
	}
	return out
}
