package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/pipeline/locking"
	"github.com/rollstamp/rollstamp/plan"
)

// subject is an application whose workloads a decision is about.
type subject struct {
	*app.Application
	*plan.Plan
	before *plan.Plan // of the same render, as its stamps were until now; nil where nobody asked
	kept   *plan.Plan // the same with names that carry no digests, where some do; else nil
}

// toLock is a source whose applications are rendered to write their locks.
type toLock struct {
	app.Source
	raise bool // to the newest level, but for those whose configuration file sets one
}

// Application returns the application of a name.
func (s toLock) Application(ctx context.Context, name string) (*app.Application, error) {
	a, err := s.Source.Application(ctx, name)
	if err != nil || a.Stamping() == nil {
		return a, err
	}
	if _, given := a.Settings().Where("level"); s.raise && !given {
		a = a.WithSettings(a.Settings().WithLevel(config.MaxLevel, config.Default))
	}
	return a.WithStamping(a.Stamping().ToLock()), nil
}

// subjects renders the applications at paths and returns them with their workloads, and with those that they had until
// now where from says how; it may be nil. One that fails is an error: whether it has a workload that is meant is not
// known. Where the others have each workload of picks, they are returned, and failed is that error: a command returns
// it once it has written what it was asked for by name.
func (r *renderFlags) subjects(
	ctx context.Context, p *program, paths []string, from *settingsBefore, picks []identity,
) (rendered []subject, failed, err error) {
	read, err := r.source(ctx, p, paths)
	if err != nil {
		return nil, nil, err
	}
	source := toLock{read, from.raises()}
	if from.isOfCiphertext() {
		undecrypting := *p
		undecrypting.wiring, undecrypting.ends = p.wiring.WithoutDecrypting(), nil
		defer undecrypting.end()
		encrypted, err := r.source(ctx, &undecrypting, paths)
		if err != nil {
			return nil, nil, err
		}
		from.encrypted = toLock{encrypted, from.raises()}
	}
	names, err := source.Names(ctx)
	if err != nil {
		return nil, nil, err
	}
	if slices.Contains(names, "-") {
		return nil, nil, diag.Usage(errors.New("a lock belongs to an application on disk, not to standard input"), "")
	}
	out := make([]*subject, len(names))
	take := func(ctx context.Context, i int, a *app.Application, result *pipeline.Result) (err error) {
		if err := locking.OnDisk(a); err != nil {
			return err
		}
		out[i] = &subject{Application: a, Plan: result.Plan}
		if from.isGiven() {
			out[i].before, err = from.plan(ctx, a, result)
		}
		if err == nil && from != nil && len(result.Plan.Renames) > 0 {
			out[i].kept, err = withNames(ctx, a, result)
		}
		return err
	}
	errs := fleet.Run(ctx, source, names, take, p.progress())
	for i, s := range out {
		if errs[i] == nil {
			rendered = append(rendered, *s)
		}
	}
	if failed = fleet.Join(names, errs); failed != nil && (ctx.Err() != nil || !p.mayDecide(rendered, picks)) {
		return nil, nil, failed
	}
	if !r.set.Changed("argocd-namespace") {
		p.noteNamespace(rendered)
	}
	return rendered, failed, nil
}

// mayDecide reports whether something can be decided while other applications fail: these have each workload that is
// named. It says what that leaves open.
func (p *program) mayDecide(rendered []subject, picks []identity) bool {
	if len(rendered) == 0 {
		return false
	}
	if len(picks) == 0 {
		fmt.Fprintln(p.err, "no lock is written: while an application fails, nothing is decided about the others")
		return false
	}
	for _, one := range picks {
		if !anyWorkload(rendered, func(w *plan.Workload) bool { return one.is(w.Kind, w.Namespace, w.Name) }) {
			fmt.Fprintf(p.err, "no lock is written: no application that renders has a workload %s, and others fail\n", one)
			return false
		}
	}
	for _, one := range picks {
		fmt.Fprintf(p.err, "note: %s: if an application that fails has one, too, nothing is decided about that one\n", one)
	}
	return true
}

// withNames stamps a render once more with names that carry no digests.
func withNames(ctx context.Context, a *app.Application, result *pipeline.Result) (*plan.Plan, error) {
	kept, err := pipeline.Stamp(ctx, a.WithStamping(a.Stamping().ToAdopt()), result.Output)
	if err != nil {
		return nil, err
	}
	return kept.Plan, nil
}
