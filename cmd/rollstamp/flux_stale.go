package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/report"
)

// uncheckedOf returns the findings of stamps that could not be compared with what is applied.
func uncheckedOf(o fleet.Outcome) (found []diag.Finding) {
	for _, f := range o.Findings {
		if f.Code == diag.StampUnchecked {
			found = append(found, f)
		}
	}
	return found
}

// failsUnchecked reports whether such a finding fails a run that writes stamps into files, unless somebody says
// otherwise.
func failsUnchecked(a *app.Application, o fleet.Outcome) bool {
	least := a.Settings().FailOn
	if least.Source == config.Default {
		least.Value = config.FailOnError
	}
	return slices.ContainsFunc(uncheckedOf(o), func(f diag.Finding) bool { return least.Value.IsReached(f.Severity) })
}

// writeUnchecked writes which stamps were not compared.
func (r *fluxRun) writeUnchecked(out *bytes.Buffer) {
	if len(r.unchecked) == 0 {
		return
	}
	is := "was"
	if len(r.unchecked) > 1 {
		is = "were"
	}
	fmt.Fprintf(out, "%s %s not compared, and may not be of what Flux applies:\n",
		diag.Count(len(r.unchecked), "stamp"), is)
	for _, f := range r.unchecked {
		fmt.Fprintf(out, "  %s: %s\n", f.Object, f.Message)
	}
}

// showStale prints what restarts when the patches are written, and ends the run with 1. It does that, too, where stamps
// could not be compared, and prints these first.
func (r *fluxRun) showStale(ctx context.Context, p *program, changed []*fluxFile) error {
	var out bytes.Buffer
	r.writeUnchecked(&out)
	if out.Len() > 0 {
		p.exit = diag.ExitFindings
	}
	if len(changed) == 0 {
		return p.emit(&out)
	}
	if out.Len() > 0 {
		out.WriteByte('\n')
	}
	stale, failed := r.stale(ctx, changed)
	c, err := diff.Compare(sides.FromStale("Git", stale, r.objects))
	if err != nil {
		return errors.Join(failed, err)
	}
	out.WriteString("The stamps in these files are not those of what Flux applies: " +
		"run it without --check, and commit them.\n")
	for _, file := range changed {
		fmt.Fprintf(&out, "  %s\n", file.name)
	}
	for _, file := range changed {
		file.writeMisfits(&out)
	}
	out.WriteString("\n")
	if err := report.WriteDiff(&out, "text", c, p.resultStyle()); err != nil {
		return err
	}
	p.exit = diag.ExitFindings
	return errors.Join(failed, p.emit(&out))
}

// writeMisfits writes which patches in the file fail, and which replace what others have written since.
func (f *fluxFile) writeMisfits(out *bytes.Buffer) {
	for _, m := range f.misfits {
		what := "replaces the %s that it has now, so Flux does not apply these"
		if m.Lost {
			what = "adds to a %s that it has no longer, so Flux applies nothing of this Kustomization"
		}
		fmt.Fprintf(out, "%s:%d: the patch for %s "+what+"\n", f.name, m.Line, m.Of, m.List)
	}
}

// stale returns what the members that files are written for apply, each once, and the error of those that cannot be
// compared. Only those of which something changes are rendered with the patches that they have.
func (r *fluxRun) stale(ctx context.Context, changed []*fluxFile) (out []*fleet.Stale, err error) {
	contents := map[string][]byte{} // where patches fail, what is in the cluster has the stamps of those
	for _, file := range changed {
		if file.fitting == nil {
			continue
		}
		path, err := files.RealPath(nil, file.name)
		if err != nil {
			return nil, err
		}
		contents[path] = file.fitting
	}
	now, err := r.with(ctx, contents, r.patched(changed))
	if err != nil {
		return nil, err
	}
	var errs []error
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
			var one *fleet.Stale
			if isEdited[m] {
				one, err = m.stale(ctx, now, r.after, file.name)
			} else {
				one, err = m.unchanged(ctx, file.name)
			}
			if err != nil {
				errs = append(errs, err)
				continue
			}
			out = append(out, one)
		}
	}
	return out, errors.Join(errs...)
}

// unchanged returns what the object applies as what is not different.
func (m *fluxMember) unchanged(ctx context.Context, file string) (*fleet.Stale, error) {
	result, err := pipeline.Run(ctx, m.app)
	return &fleet.Stale{Name: m.app.Name(), File: file, Written: result, Now: result,
		Suspended: m.app.Origin().Suspended, Applier: m.app.Origin().Applier, Namespace: m.app.Request().Namespace}, err
}

// stale returns what the object applies with the patches that it has, and with those that it is to have.
func (m *fluxMember) stale(ctx context.Context, now, after app.Source, file string) (*fleet.Stale, error) {
	a, written, err := m.asIn(ctx, now)
	if err != nil {
		return nil, err
	}
	_, becomes, err := m.asIn(ctx, after)
	return &fleet.Stale{Name: a.Name(), File: file, Written: written, Now: becomes, IsNowWritten: true,
		Suspended: a.Origin().Suspended, Applier: a.Origin().Applier, Namespace: a.Request().Namespace}, err
}

// asIn returns what a state of the files has of the object and what it applies, with the stamps that are there.
func (m *fluxMember) asIn(ctx context.Context, state app.Source) (*app.Application, *pipeline.Result, error) {
	a, err := state.Application(ctx, m.app.Name())
	if err != nil {
		return nil, nil, err
	}
	have, err := pipeline.Run(ctx, a.WithoutStamping())
	if err != nil {
		return nil, nil, err
	}
	out := have.Output
	stream := &render.Output{Kind: render.KindPlain, Text: out.Text, SecondRender: out.SecondRender, Origins: out.Origins,
		Namespace: out.Namespace, Hidden: out.Hidden, Decrypted: out.Decrypted, IsRelease: out.IsRelease}
	result, err := pipeline.Run(ctx, a.WithStream(stream.WithDerived(out.Derived)))
	return a, result, err
}
