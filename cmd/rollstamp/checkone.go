package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/check"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
)

// lookedAt is what there is to say of one application without the others of its run.
type lookedAt struct {
	Found     diag.Packed // with the severities of its settings, and their positions
	Placeless diag.Packed // those without a position
	Fits      check.Fits  // of the rules of its configuration
	Together  bool        // its source has stamps of what other applications render
}

// look is the look at one application, which is cached.
func (k *checkCommand) look() pipeline.Derivation[lookedAt] {
	return pipeline.Derivation[lookedAt]{Name: fmt.Sprintf("check, stamped %t", k.stamped), Of: k.lookAt}
}

func (k *checkCommand) lookAt(
	ctx context.Context, a *app.Application, result *pipeline.Result,
) (out lookedAt, isStable bool, err error) {
	found, err := check.Application(ctx, result, a.Settings())
	if err != nil {
		return out, false, err
	}
	stale, err := k.stamps(ctx, a, result)
	if err != nil {
		return out, false, err
	}
	if found = append(found, stale...); k.stamped && a.Stream() != nil {
		found = check.EmptyFails(found)
	}
	trace := pipeline.NewTrace(ctx, a, result.Output)
	hasNoPlace := func(f diag.Finding) bool { return f.File == "" }
	found = trace.Findings(a.Settings().Severity(found))
	placeless := slices.DeleteFunc(slices.Clone(found), func(f diag.Finding) bool { return !hasNoPlace(f) })
	out.Found, out.Placeless = diag.Pack(slices.DeleteFunc(found, hasNoPlace)), diag.Pack(placeless)
	out.Together = fleet.HoldsStampsOfOthers(result)
	out.Fits, err = check.FitsOf(ctx, result, a.Settings())
	return out, trace.IsStable(), err
}

// stamps looks at the stamps that the manifests of an application have already: whether they are right where there are
// some, or with --stamped whether all are there.
func (k *checkCommand) stamps(ctx context.Context, a *app.Application, r *pipeline.Result) ([]diag.Finding, error) {
	if k.stamped {
		found, err := check.FindUnstamped(ctx, r, a.Stamping().Key)
		return append(found, check.FindUnknown(r)...), err
	}
	return check.FindStale(r, a.Stamping().Key)
}
