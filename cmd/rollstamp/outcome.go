package main

import (
	"fmt"
	"io"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/report"
)

// outcome is what is left to tell of an application that was rendered.
type outcome struct {
	why      string // "" for a stream, of which nothing was to be found out
	findings []diag.Finding
	reached  bool             // a finding is at or above --fail-on
	result   *pipeline.Result // nil where it was written to a file
}

// outcomeOf takes down what is to be told of a job.
func outcomeOf(j *pipeline.Job, result *pipeline.Result) outcome {
	o := outcome{why: whyOf(result), result: result, findings: j.Findings(result)}
	o.reached = j.Reached(o.findings)
	return o
}

// whyOf says what an application was taken for, and why.
func whyOf(result *pipeline.Result) string {
	if result.Output.Why == "" {
		return ""
	}
	return fmt.Sprintf("%s: %s", result.Output.Kind, result.Output.Why)
}

// remember says what was detected, and keeps what the run is to end with.
func (p *program) remember(path string, o outcome) {
	if o.why != "" {
		p.say("%s is rendered as %s", path, o.why)
	}
	if o.reached {
		p.exit = diag.ExitFindings
	}
}

// tell prints what was detected and found, in the order of the paths.
func (p *program) tell(paths []string, outcomes []outcome) {
	var all []diag.Finding
	for i, o := range outcomes {
		p.remember(paths[i], o)
		for _, f := range o.findings {
			if f.File == "" && len(paths) > 1 {
				f.File = paths[i]
			}
			all = append(all, f)
		}
	}
	report.Findings(p.err, diag.Sort(all), p.style())
}

// sequence is several results as one stream of documents.
type sequence []outcome

// WriteTo writes the results one after another, with a separator where none stands.
func (s sequence) WriteTo(w io.Writer) (int64, error) {
	if len(s) == 1 {
		return s[0].result.WriteTo(w)
	}
	j := &joint{w: w, last: '\n'}
	for _, o := range s {
		j.fresh = true
		if _, err := o.result.WriteTo(j); err != nil {
			return j.n, err
		}
	}
	return j.n, nil
}
