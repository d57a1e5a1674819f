package pipeline

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/stamp"
)

// Job is one application with what is in force for it.
type Job struct {
	App      App
	Engines  Engines
	Settings *config.Settings
	Noted    []diag.Finding // about the settings and how the job came to be
}

// WithStamp returns a copy of the job that stamps with other options.
func (j *Job) WithStamp(options *stamp.Options) *Job {
	out := *j
	out.App.Stamp = options
	return &out
}

// Run takes the application through the stages.
func (j *Job) Run(ctx context.Context) (*Result, error) { return Run(ctx, j.Engines, j.App) }

// Trace reports where in the files of the application that stands of which a render of it tells; see NewTrace.
func (j *Job) Trace(ctx context.Context, out *render.Output) *Trace {
	return NewTrace(ctx, j.Engines, j.App, out)
}

// Findings returns all that is to be told of the job once it has that result, sorted, as severe as the settings say.
func (j *Job) Findings(result *Result) []diag.Finding {
	return j.Settings.Severity(diag.Sort(slices.Concat(j.Noted, j.answered(), j.unusedLock(result), result.Findings())))
}

// Reached reports whether one of the findings is as severe as what is to fail the run.
func (j *Job) Reached(findings []diag.Finding) bool {
	return slices.ContainsFunc(findings, func(f diag.Finding) bool { return j.Settings.FailOn.Value.Reached(f.Severity) })
}

// answered returns the findings of whoever answers for what is in no manifest.
func (j *Job) answered() []diag.Finding {
	if j.App.Stamp == nil {
		return nil
	}
	if l, ok := j.App.Stamp.Outside.(interface{ Findings() []diag.Finding }); ok {
		return l.Findings()
	}
	return nil
}

// unusedLock reports of a lock which has versions of what the application reads, and which is not looked at.
func (j *Job) unusedLock(result *Result) []diag.Finding {
	if result.Plan == nil {
		return nil
	}
	return lock.Unused(j.Settings, result.Plan.Fetched())
}
