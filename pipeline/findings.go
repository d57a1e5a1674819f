package pipeline

import (
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Findings returns all that is to be reported of an application with that result, sorted, with the severities of the
// settings. No value that came from a Secret is in them.
func Findings(a *app.Application, result *Result) []diag.Finding {
	of := slices.Concat(result.Reported, ofLock(a, result), result.Findings())
	all := slices.Concat(a.Findings(), of) // those of the application were there before the render
	values := result.Output.Secrets()
	if slices.ContainsFunc(of, func(f diag.Finding) bool { return !diag.IsOfRun(f.Code) }) {
		values = result.Output.AllSecrets()
	}
	return redact.Copy(values, a.Settings().Severity(diag.Sort(all)), positions...)
}

// FindingsOf is Findings for a result of which nothing is read that nobody asks for: in what is cached, no value is to
// be hidden.
func FindingsOf(a *app.Application, r *Rendered) []diag.Finding {
	if result := r.atHand(); result != nil {
		return Findings(a, result)
	}
	s := r.Summary()
	var locked []diag.Finding
	if s.Stamped {
		locked = lock.UnusedFinding(a.Settings(), slices.Values(s.Fetched))
	}
	all := slices.Concat(a.Findings(), s.Reported, locked, s.Findings)
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
// report, as Findings has them for the whole, and with positions in files.
func Workloads(a *app.Application, result *Result) []plan.Workload {
	all := slices.Clone(result.Plan.Workloads)
	for i := range all {
		all[i].Position, _ = a.Origin().InFiles(a.Path(), all[i].Position)
		all[i].References = slices.Clone(all[i].References)
		for k := range all[i].References {
			r := &all[i].References[k]
			r.Findings = a.Settings().Severity(r.Findings)
		}
	}
	return redact.Copy(result.Output.AllSecrets(), all, positions...)
}

// positions are fields in which no value of the render stands.
var positions = []string{"File", "Position"}
