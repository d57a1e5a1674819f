package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/report"
)

// showStale prints what restarts when the patches are written, and ends the run with 1.
func (r *fluxRun) showStale(ctx context.Context, p *program, changed []*fluxFile) error {
	if len(changed) == 0 {
		return nil
	}
	stale, err := r.stale(ctx, changed)
	if err != nil {
		return err
	}
	c, err := diff.Compare(sides.FromStale("Git", stale))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString("The patches in these files are not those of what Flux applies: " +
		"run it without --check, and commit them.\n")
	for _, file := range changed {
		fmt.Fprintf(&out, "  %s\n", file.name)
	}
	out.WriteString("\n")
	if err := report.WriteDiff(&out, "text", c, p.resultStyle()); err != nil {
		return err
	}
	p.exit = diag.ExitFindings
	return p.emit(&out)
}

// stale returns what the members that files are written for apply, each once. Only those of which something changes are
// rendered with the patches that they have.
func (r *fluxRun) stale(ctx context.Context, changed []*fluxFile) (out []*fleet.Stale, err error) {
	now, err := r.with(ctx, nil, r.patched(changed))
	if err != nil {
		return nil, err
	}
	isEdited, seen := map[*fluxMember]bool{}, map[*fluxMember]bool{}
	for _, file := range changed {
		for _, m := range file.edited {
			isEdited[m] = true
		}
	}
	for _, file := range changed {
		for _, m := range file.members {
			if seen[m] {
				continue
			}
			seen[m] = true
			stale := m.unchanged
			if isEdited[m] {
				stale = m.stale
			}
			one, err := stale(ctx, now, file.name)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
	}
	return out, nil
}

// unchanged returns what the object applies as what is not different.
func (m *fluxMember) unchanged(ctx context.Context, _ app.Source, file string) (*fleet.Stale, error) {
	result, err := pipeline.Run(ctx, m.app)
	return &fleet.Stale{Name: m.app.Name(), File: file, Written: result, Now: result}, err
}

// stale returns what the object applies with the patches that it has, and with those that it is to have.
func (m *fluxMember) stale(ctx context.Context, now app.Source, file string) (*fleet.Stale, error) {
	a, err := now.Application(ctx, m.app.Name())
	if err != nil {
		return nil, err
	}
	result, err := pipeline.Run(ctx, a)
	if err != nil {
		return nil, err
	}
	out := result.Output
	stream := &render.Output{Kind: render.KindPlain, Text: out.Text, Origins: out.Origins, Namespace: out.Namespace}
	written, err := pipeline.Run(ctx, a.WithStream(stream))
	return &fleet.Stale{Name: a.Name(), File: file, Written: written, Now: result}, err
}
