package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/report"
)

// outcome is what is left to tell of an application that was rendered.
type outcome struct {
	why      string // "" for a stream, of which nothing was to be found out
	findings []diag.Finding
	reached  bool             // a finding is at or above --fail-on
	result   *pipeline.Result // nil where it was written to a file

	app    *app.Application // nil where findings are told with the places that they have
	output *render.Output   // of the application; nil where it was let go
	plain  func(diag.Finding) diag.Finding
}

// outcomeOf takes down what is to be told of an application.
func outcomeOf(a *app.Application, result *pipeline.Result) outcome {
	o := outcome{why: whyOf(result), result: result, findings: pipeline.Findings(a, result), app: a, output: result.Output}
	o.reached = a.Fails(o.findings)
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

// letGo keeps nothing of the render.
func (o *outcome) letGo() { o.result, o.output = nil, nil }

// placed returns some of the findings the places in the files that they come from.
func (o *outcome) placed(ctx context.Context, found []diag.Finding) []diag.Finding {
	if o.app != nil && len(found) > 0 {
		found = pipeline.NewTrace(ctx, o.app, o.output).Findings(found)
	}
	if o.plain != nil {
		for i, f := range found {
			found[i] = o.plain(f)
		}
	}
	return found
}

// tell prints what was detected and found. Only what is printed is traced to its place.
func (p *program) tell(ctx context.Context, paths []string, outcomes []outcome) {
	pick := report.Pick{Style: p.style()}
	pick.Write(p.err, p.found(ctx, paths, outcomes, pick.Takes))
}

// found says what was detected, and returns those findings that are taken, with their places and in the order of these.
func (p *program) found(ctx context.Context, paths []string, outcomes []outcome, takes func(diag.Finding) bool) []diag.Finding {
	in := func(i int, f diag.Finding) diag.Finding {
		switch {
		case f.File != "" || len(paths) < 2:
			return f
		default:
			return f.At(diag.Position{File: paths[i], RenderLine: f.Line})
		}
	}
	seen, taken := map[diag.Finding]bool{}, make([][]diag.Finding, len(outcomes))
	for i, o := range outcomes {
		p.remember(paths[i], o)
		for _, f := range o.findings {
			if id := in(i, f); !seen[id] && takes(f) {
				seen[id] = true
				taken[i] = append(taken[i], f)
			}
		}
	}
	if len(seen) > 0 {
		defer hold(new(bytes.Buffer))() // what engines have to say, they have said
	}
	pipeline.Each(ctx, len(outcomes), func(ctx context.Context, i int) error {
		taken[i] = outcomes[i].placed(ctx, taken[i])
		return nil
	}, nil) // who interrupts this is told what is known
	for i := range taken {
		for k, f := range taken[i] {
			taken[i][k] = in(i, f)
		}
	}
	return diag.Sort(slices.Concat(taken...))
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
