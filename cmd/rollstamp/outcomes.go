package main

import (
	"bytes"
	"context"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/report"
)

// report prints what was detected and found. Only what is printed is traced to its position.
func (p *program) report(ctx context.Context, outcomes []fleet.Outcome) {
	pick := report.Pick{Style: p.style()}
	pick.Write(p.err, p.findings(ctx, outcomes, pick.Takes))
}

// findings prints what was detected, and returns those findings that takes accepts, with their positions.
func (p *program) findings(
	ctx context.Context, outcomes []fleet.Outcome, takes func(diag.Finding) bool,
) []diag.Finding {
	outcomes = fleet.Together(outcomes)
	for _, o := range outcomes {
		p.reportDetected(o)
	}
	defer hold(new(bytes.Buffer))() // what engines print, they have printed
	return findingsFromHere(fleet.Findings(ctx, outcomes, takes))
}

// reportDetected prints what an application was rendered as, and sets the exit code where its findings fail the run.
func (p *program) reportDetected(o fleet.Outcome) {
	if o.Why != "" {
		p.say("%s is rendered as %s", o.Name, o.Why)
	}
	if o.Failed {
		p.exit = diag.ExitFindings
	}
}

// warn prints findings that are about no application's manifests.
func (p *program) warn(found []diag.Finding) {
	report.Findings(p.err, findingsFromHere(found), p.style())
}
