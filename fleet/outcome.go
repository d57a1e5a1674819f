package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// Outcome is what there is to report of an application that was rendered.
type Outcome struct {
	Name     string           // of the application, in reports about several
	Why      string           // what it was rendered as, and why; "" for a stream, of which nothing was to be found out
	Findings []diag.Finding   // sorted, with the severities of its settings
	Failed   bool             // a finding is at or above --fail-on
	Result   *pipeline.Result // nil where nothing reads it any more

	app     *app.Application // nil where the findings have their positions
	member  *Member          // of what was rendered; nil where that is still there
	output  *render.Output   // of the application; nil where it is not needed any more
	rewrite func(diag.Finding) diag.Finding
}

// OutcomeOf returns the outcome of an application with that result.
func OutcomeOf(a *app.Application, result *pipeline.Result) Outcome {
	found := pipeline.Findings(a, result)
	return Outcome{
		Name: a.Name(), Why: Why(result.Output), Findings: found, Failed: a.Fails(found), Result: result,
		app: a, output: result.Output,
	}
}

// OutcomeWith is OutcomeOf for a result of which nothing is read that nobody asks for. It has no Result until that is
// set by WithManifests.
func OutcomeWith(a *app.Application, r *pipeline.Rendered) Outcome {
	found, s := pipeline.FindingsOf(a, r), r.Summary()
	return Outcome{
		Name: a.Name(), Why: why(s.Kind, s.Why), Findings: found, Failed: a.Fails(found), app: a, member: MemberWith(a, r),
	}
}

// Why returns what an application was rendered as, and why.
func Why(out *render.Output) string { return why(out.Kind, out.Why) }

func why(kind render.Kind, why string) string {
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%s: %s", kind, why)
}

// WithoutResult returns the outcome of an application whose manifests are written: its memory can be used again.
func (o Outcome) WithoutResult() Outcome {
	o.member = o.asMember()
	o.Result, o.output = nil, nil
	return o
}

// WithManifests returns the outcome with other manifests for what was rendered, and reports nothing else of them.
func (o Outcome) WithManifests(r *pipeline.Result) Outcome {
	o.member = o.asMember()
	o.Result = r
	return o
}

// asMember returns what others of the run may know of the application; nil for one that failed.
func (o Outcome) asMember() *Member {
	if o.member != nil || o.app == nil || o.Result == nil {
		return o.member
	}
	return MemberOf(o.app, o.Result)
}

// Renames reports whether the names of objects of the application carry digests.
func (o Outcome) Renames() bool {
	return o.member.renames() || o.Result != nil && o.Result.Plan != nil && len(o.Result.Plan.Renames) > 0
}

// NeighboursOf returns the applications of a run with these outcomes; a zero one is of one that failed.
func NeighboursOf(outcomes []Outcome) *Neighbours {
	members := make([]*Member, len(outcomes))
	for i, o := range outcomes {
		members[i] = o.asMember()
	}
	return NewNeighbours(members)
}

// RefuseRenames adds errors to the applications of a run whose objects get names that others cannot follow.
func RefuseRenames(ctx context.Context, outcomes []Outcome, errs []error) {
	if !slices.ContainsFunc(outcomes, Outcome.Renames) {
		return
	}
	apps, renders := make([]*app.Application, len(outcomes)), make([]*render.Output, len(outcomes))
	for i, o := range outcomes {
		apps[i], renders[i] = o.app, o.output
	}
	NeighboursOf(outcomes).RefuseRenames(ctx, apps, renders, errs)
}

// AddLost is Neighbours.AddLost for the outcomes of a run.
func AddLost(outcomes []Outcome, errs []error) {
	for i, o := range outcomes {
		errs[i] = cmp.Or(errs[i], o.member.failure())
	}
}

// Together returns the outcomes of a run with what the applications know of each other in their findings.
func Together(outcomes []Outcome) []Outcome {
	if len(outcomes) < 2 {
		return outcomes
	}
	neighbours, out := NeighboursOf(outcomes), slices.Clone(outcomes)
	for i, o := range out {
		if o.app != nil {
			out[i].Findings = neighbours.Findings(i, o.Findings)
			out[i].Failed = o.app.Fails(out[i].Findings)
		}
	}
	return out
}

// With returns the outcome with further findings. Of a zero one nothing is reported.
func (o Outcome) With(more []diag.Finding) Outcome {
	if o.app != nil && len(more) > 0 {
		o = o.WithFindings(diag.Sort(slices.Concat(o.Findings, o.app.Settings().Severity(more))))
	}
	return o
}

// WithFindings returns the outcome with other findings instead, which have their severities.
func (o Outcome) WithFindings(found []diag.Finding) Outcome {
	o.Findings, o.Failed = found, o.app.Fails(found)
	return o
}

// WithRewrite returns the outcome whose findings are reported as rewrite returns them.
func (o Outcome) WithRewrite(rewrite func(diag.Finding) diag.Finding) Outcome {
	o.rewrite = rewrite
	return o
}

// Findings returns those findings of all outcomes that takes accepts, each once, with their positions and sorted by
// them. Only what is accepted is traced to its position.
func Findings(ctx context.Context, outcomes []Outcome, takes func(diag.Finding) bool) []diag.Finding {
	seen, taken := map[diag.Finding]bool{}, make([][]diag.Finding, len(outcomes))
	within := func(o Outcome, f diag.Finding) diag.Finding {
		if f.File != "" || len(outcomes) < 2 {
			return f
		}
		return f.At(diag.Position{File: o.Name, RenderLine: f.Line})
	}
	for i, o := range outcomes {
		for _, f := range o.Findings {
			if id := within(o, f); !seen[id] && takes(f) {
				seen[id] = true
				taken[i] = append(taken[i], f)
			}
		}
	}
	Each(ctx, len(outcomes), func(ctx context.Context, i int) error {
		taken[i] = outcomes[i].tracePositions(ctx, taken[i])
		return nil
	}, nil) // where this is interrupted, what is known is reported
	for i := range taken {
		for k, f := range taken[i] {
			taken[i][k] = within(outcomes[i], f)
		}
	}
	return diag.Sort(slices.Concat(taken...))
}

// tracePositions returns some of the outcome's findings with their positions in the files.
func (o Outcome) tracePositions(ctx context.Context, found []diag.Finding) []diag.Finding {
	if o.app != nil && len(found) > 0 {
		found = pipeline.NewTrace(ctx, o.app, o.output).Findings(found)
	}
	if o.rewrite != nil {
		for i, f := range found {
			found[i] = o.rewrite(f)
		}
	}
	return found
}
