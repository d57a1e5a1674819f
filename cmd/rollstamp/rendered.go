package main

import (
	"context"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/build"
	"github.com/rollstamp/rollstamp/flux/lint"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// toOutput is a source whose applications are rendered to be applied. What engines describe is left as they apply it:
// manifests that were rendered and committed have what was added to them then.
type toOutput struct{ app.Source }

// Application returns the one of a name.
func (s toOutput) Application(ctx context.Context, name string) (*app.Application, error) {
	a, err := s.Source.Application(ctx, name)
	if err != nil || a.Stamping() == nil || a.Origin().Pos.File != "" {
		return a, err
	}
	return a.WithStamping(a.Stamping().ToOutput()), nil
}

// sourcesOfApplications is a source in which several applications of a run may be the sources of one Application.
type sourcesOfApplications interface {
	Several(names []string) [][]int
	LastOnly(outcomes []fleet.Outcome) ([]fleet.Outcome, error)
}

// rendered is what became of the applications of a run of render, by their indexes.
type rendered struct {
	dir       *fleet.OutputFolder // where each has a file; nil where manifests go to standard output
	check     bool
	plaintext bool    // values that were decrypted may be written in clear text
	several   [][]int // those that are sources of one Application
	renamed   []bool  // names of its objects carry digests
	apps      []*app.Application
	outcomes  []fleet.Outcome
	stale     []*fleet.Stale // nil where nothing is
}

// newRendered returns the record of a run over n applications whose manifests go to standard output.
func newRendered(n int) *rendered {
	return &rendered{
		renamed: make([]bool, n), apps: make([]*app.Application, n), outcomes: make([]fleet.Outcome, n),
		stale: make([]*fleet.Stale, n),
	}
}

// use takes the result of an application. What comes from the cache is read where more than a summary of it is needed.
func (r *rendered) use(ctx context.Context, i int, a *app.Application, result *pipeline.Rendered) error {
	r.apps[i] = a
	isPart := slices.ContainsFunc(r.several, func(group []int) bool { return slices.Contains(group, i) })
	if r.dir != nil && !isPart && !result.IsAtHand() && !result.Summary().Renames {
		r.outcomes[i] = fleet.OutcomeWith(a, result)
		return r.putCached(ctx, i, result)
	}
	whole, err := result.Result()
	if err != nil {
		return err
	}
	r.outcomes[i] = fleet.OutcomeOf(a.WithFindings(lint.Plaintext(whole.Output)...), whole)
	switch {
	case isPart:
		return nil // it is complete when all sources of the Application are
	case len(r.apps) > 1 && result.Summary().Renames:
		r.renamed[i] = true
		return nil // first it is known whether others name what it renames
	}
	return r.put(ctx, i, result)
}

// putCached writes the file of an application that comes from the cache, or compares it, where an earlier run did
// not do so with the same result.
func (r *rendered) putCached(ctx context.Context, i int, result *pipeline.Rendered) error {
	a := r.apps[i]
	found := result.Summary().Findings
	isRefused := build.MayHoldCiphertext(found) || r.refuse(ctx, a, &render.Output{Findings: found}) != nil
	switch {
	case !isRefused && result.IsIn(a.File()):
		return nil
	case !isRefused && !r.check && !fleet.MayReplaceKeyed(a, a.File()):
		return r.dir.WriteManifests(a.File(), result)
	}
	whole, err := result.Result()
	if err != nil {
		return err
	}
	if err = errors.Join(r.refuse(ctx, a, whole.Output), fleet.RefuseUncompared(ctx, a, a.File(), whole)); err != nil {
		return err
	}
	if !r.check {
		return r.dir.WriteManifests(a.File(), result)
	}
	r.stale[i], err = fleet.CompareFile(ctx, a, whole)
	return err
}

// putRenamed puts the applications in which names carry digests.
func (r *rendered) putRenamed(ctx context.Context, errs []error) {
	for i, renamed := range r.renamed {
		if renamed && errs[i] == nil {
			errs[i] = r.put(ctx, i, pipeline.NewRendered(r.outcomes[i].Result))
		}
	}
}

// put writes the file of an application, or compares it. Of a result without manifests of other sources it is noted
// that the file holds them.
func (r *rendered) put(ctx context.Context, i int, result *pipeline.Rendered) (err error) {
	if r.dir == nil {
		return nil
	}
	whole, err := result.Result()
	if err != nil {
		return err
	}
	a := r.apps[i]
	err = errors.Join(r.refuse(ctx, a, whole.Output), fleet.RefuseUncompared(ctx, a, a.File(), whole))
	if err != nil {
		return err
	}
	r.outcomes[i] = r.outcomes[i].WithoutResult()
	if r.check {
		r.stale[i], err = fleet.CompareFile(ctx, r.apps[i], whole)
		return err
	}
	return r.dir.WriteManifests(r.apps[i].File(), result)
}

// refuse returns an error where values that are for Flux to apply are not known, or where values that were
// decrypted would be written in clear text.
func (r *rendered) refuse(ctx context.Context, a *app.Application, out *render.Output) error {
	var err error
	if a.Stamping() != nil { // else it is for comparisons
		err = errors.Join(lint.RefuseMissing(out, a.Findings()), build.RefuseCiphertext(out))
	}
	if !r.plaintext {
		err = errors.Join(err, lint.RefusePlaintext(out, "--"+plaintextFlag))
	}
	if err == nil {
		return nil
	}
	return pipeline.NewTrace(ctx, a, out).Error(err)
}

// plaintextFlag allows values that were decrypted.
const plaintextFlag = "plaintext-secrets"

// merge leaves of each object that several sources of an Application render the last one, and puts them. Of an
// Application with a source that failed nothing is written.
func (r *rendered) merge(ctx context.Context, source sourcesOfApplications, errs []error) {
	for _, group := range r.several {
		if slices.ContainsFunc(group, func(i int) bool { return errs[i] != nil }) {
			continue
		}
		first, last := group[0], group[len(group)-1]
		merged, err := source.LastOnly(r.outcomes[first : last+1])
		if err != nil {
			errs[first] = err
			continue
		}
		copy(r.outcomes[first:], merged)
		for _, i := range group {
			errs[i] = r.put(ctx, i, pipeline.NewRendered(r.outcomes[i].Result))
		}
	}
}
