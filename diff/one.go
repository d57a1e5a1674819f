package diff

import (
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// isOne reports whether what was rendered once is what an application is on both sides.
func isOne(old, now *App) bool {
	return old != nil && now != nil && old.Result != nil && old.Result == now.Result &&
		old.AsIs == now.AsIs && old.Unstamped == now.Unstamped && old.Applier == now.Applier &&
		old.Leaves == now.Leaves && old.Fetched == now.Fetched && old.Described == now.Described
}

// isQuiet reports whether nothing in an application can be news, whatever other applications do, so that its objects
// need not be read: it was rendered once for both sides, all of it is known and the same in each render, there is no
// stamp in its source and no object twice, and its workloads find what they refer to in the application itself.
func isQuiet(old, now *App) bool {
	if !isOne(old, now) || old.Together != nil || now.Together != nil || len(now.Context) > 0 ||
		moveOf(old, now) != nil {
		return false
	}
	out, p := now.Result.Output, now.Result.Plan
	if p == nil || len(now.Result.Objects.Offsets()) == 0 || out.SecondRender != nil || len(out.Hidden) > 0 ||
		p.Prefix.MayBeIn(out.Text) || hashing.MayHoldVariables(out.Text) ||
		slices.ContainsFunc(p.Findings, func(f diag.Finding) bool { return f.Code == diag.DuplicateObject }) {
		return false
	}
	return !slices.ContainsFunc(p.Workloads, func(w plan.Workload) bool {
		return len(w.Unstable) > 0 || slices.ContainsFunc(w.References, func(r plan.Reference) bool {
			return r.Source == objects.Absent || r.Source == objects.Context
		})
	})
}
