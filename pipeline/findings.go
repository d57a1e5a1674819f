package pipeline

import (
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Findings returns all that is to be reported of an application with that result, sorted, with the severities of the
// settings.
func Findings(a *app.Application, result *Result) []diag.Finding {
	all := slices.Concat(a.Findings(), result.Reported, ofLock(a, result), result.Findings())
	return a.Settings().Severity(diag.Sort(all))
}

// ofLock reports a lock that has versions of what the application reads, and that its policy leaves unread.
func ofLock(a *app.Application, result *Result) []diag.Finding {
	if result.Plan == nil {
		return nil
	}
	return lock.UnusedFinding(a.Settings(), result.Plan.FetchedRefs())
}

// Workloads returns the workloads of a result with the severities of their findings that the application's settings
// report, as Findings has them for the whole.
func Workloads(a *app.Application, result *Result) []plan.Workload {
	all := slices.Clone(result.Plan.Workloads)
	for i := range all {
		all[i].References = slices.Clone(all[i].References)
		for k := range all[i].References {
			r := &all[i].References[k]
			r.Findings = a.Settings().Severity(r.Findings)
		}
	}
	return all
}
