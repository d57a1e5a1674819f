package rounds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// NewApplication returns the application that a source is rendered as. Its errors are for the Application's condition.
type NewApplication func(part apps.Part) (*app.Application, error)

// Renderer renders Applications.
type Renderer struct {
	World     *World
	New       NewApplication
	Recursive bool   // the Applications in what is rendered are rendered, too
	ListOnly  bool   // only the Applications themselves are wanted
	OutputDir string // where each goes to a file of its own; "" is none
	// Earlier returns what reads the manifests that a file had before; nil where there are none to be kept.
	Earlier  func(file string) func(context.Context) (app.Earlier, error)
	Progress fleet.Progress // nil shows nothing
}

// Rendered is an Application after its render.
type Rendered struct {
	Application *apps.Application
	// of its sources, those before one that failed; none where only the Application is wanted
	Outcomes []fleet.Outcome
	Err      error
}

// maxRounds bounds Applications that make Applications.
const maxRounds = 16

// Render renders Applications, each once, and returns them in the order of the rounds, with what failed between the
// rounds. One that fails does not stop the others.
func (r Renderer) Render(ctx context.Context, round []*apps.Application) (done []Rendered, errs []error) {
	defer func() { r.writeRenamed(ctx, done) }()
	seen := map[string]bool{}
	for depth := 0; len(round) > 0; depth++ {
		if depth == maxRounds {
			return done, append(errs, tooDeep(round[0]))
		}
		round = slices.DeleteFunc(slices.Clone(round), func(a *apps.Application) bool {
			key := a.Namespace + "/" + a.Name
			again := seen[key]
			seen[key] = true
			return again
		})
		results := r.renderRound(ctx, round)
		done = append(done, results...)
		if round = nil; r.Recursive {
			var more []error
			round, more = r.within(ctx, results)
			errs = append(errs, more...)
		}
	}
	return done, errs
}

// tooDeep returns the error of an Application that is found in too many others.
func tooDeep(a *apps.Application) error {
	return a.Fail(fmt.Errorf("it is found in Applications that are nested %d deep", maxRounds),
		"Look for Applications that make Applications without end.")
}

// renderRound renders applications side by side.
func (r Renderer) renderRound(ctx context.Context, round []*apps.Application) []Rendered {
	out := make([]Rendered, len(round))
	if r.ListOnly && !r.Recursive {
		for i, a := range round {
			out[i].Application = a
		}
		return out
	}
	errs := fleet.Each(ctx, len(round), func(ctx context.Context, i int) (err error) {
		out[i].Outcomes, err = r.renderApplication(ctx, round[i])
		return err
	}, r.Progress)
	for i, err := range errs {
		out[i].Application, out[i].Err = round[i], err
	}
	return out
}

func (r Renderer) renderApplication(ctx context.Context, a *apps.Application) ([]fleet.Outcome, error) {
	parts, err := r.World.Parts(ctx, a)
	if err != nil {
		return nil, err
	}
	var outcomes []fleet.Outcome
	for _, part := range parts {
		o, err := r.renderPart(ctx, part, a, len(parts))
		if err != nil {
			return outcomes, named(a, part.Name, err)
		}
		outcomes = append(outcomes, o)
	}
	outcomes, err = lastOnly(outcomes, a.Spec.Destination.Namespace)
	if err != nil || slices.ContainsFunc(outcomes, fleet.Outcome.Renames) {
		return outcomes, err
	}
	return outcomes, r.write(a, outcomes)
}

// named returns an error with the name of an application, which one about what has ended a process has already.
// One that is about no file is at the Application.
func named(a *apps.Application, name string, err error) error {
	var known *diag.Error
	switch {
	case strings.HasPrefix(err.Error(), name+": "):
		return err
	case errors.As(err, &known) && known.Pos == (diag.Position{}) && known.Object == "":
		return &diag.Error{Exit: diag.ExitOf(err), Object: name, Pos: a.Pos, Err: err, Hint: diag.HintOf(err)}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// write writes the file of an Application.
func (r Renderer) write(a *apps.Application, outcomes []fleet.Outcome) error {
	if r.OutputDir == "" || r.ListOnly {
		return nil
	}
	_, err := fleet.WriteBelow(r.OutputDir, r.file(a), fleet.Sequence(outcomes))
	return err
}

// file returns where the manifests of an Application go; "" is no file.
func (r Renderer) file(a *apps.Application) string {
	if r.OutputDir == "" {
		return ""
	}
	return filepath.Join(r.OutputDir, a.Namespace, a.Name+".yaml")
}

// writeRenamed writes the files of Applications in which names carry digests, but for those with objects that others
// name: these fail.
func (r Renderer) writeRenamed(ctx context.Context, done []Rendered) {
	var all []fleet.Outcome
	for _, d := range done {
		all = append(all, d.Outcomes...)
	}
	errs := make([]error, len(all))
	fleet.RefuseRenames(ctx, all, errs)
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("%s: %w", all[i].Name, err)
		}
	}
	for i := range done {
		d := &done[i]
		refused := errors.Join(errs[:len(d.Outcomes)]...)
		errs = errs[len(d.Outcomes):]
		if d.Err == nil && slices.ContainsFunc(d.Outcomes, fleet.Outcome.Renames) {
			if d.Err = refused; d.Err == nil {
				d.Err = r.write(d.Application, d.Outcomes)
			}
		}
	}
}

func (r Renderer) renderPart(
	ctx context.Context, part apps.Part, of *apps.Application, parts int,
) (fleet.Outcome, error) {
	a, err := r.New(part)
	if err != nil {
		return fleet.Outcome{}, err
	}
	switch file := r.file(of); {
	case file == "" || r.Earlier == nil:
	case parts > 1:
		a = a.WithSharedEarlier(r.Earlier(file))
	default:
		a = a.WithEarlier(r.Earlier(file))
	}
	result, err := pipeline.Run(contain.Named(ctx, part.Name), a)
	if err != nil {
		return fleet.Outcome{}, part.Call.Condition(err)
	}
	if !r.ListOnly {
		if err := fleet.RefuseUncompared(ctx, a, r.file(of), result); err != nil {
			return fleet.Outcome{}, err
		}
	}
	a = a.WithName(part.Name).WithDestination(r.World.destination(of))
	o := fleet.OutcomeOf(a, result).WithRewrite(part.Call.PlainFinding)
	if rev := part.Call.TargetRevision; part.Work && rev != "" && rev != "HEAD" {
		o.Why += "; its files are those of the work tree, not of " + rev
	}
	return o, nil
}

// lastOnly returns the outcomes of an Application's sources with the last one of each object that several of them
// render.
func lastOnly(outcomes []fleet.Outcome, namespace string) ([]fleet.Outcome, error) {
	if len(outcomes) < 2 {
		return outcomes, nil
	}
	texts := make([][]byte, len(outcomes))
	for i, o := range outcomes {
		var text bytes.Buffer
		if _, err := o.Result.WriteTo(&text); err != nil {
			return outcomes, err
		}
		texts[i] = text.Bytes()
	}
	remaining, found, err := apps.LastOnly(texts, namespace)
	out := slices.Clone(outcomes)
	for i, text := range remaining {
		if len(found[i]) > 0 {
			out[i] = out[i].WithManifests(&pipeline.Result{Output: &render.Output{Text: text}})
			out[i].Findings = slices.Concat(out[i].Findings, found[i])
		}
	}
	return out, err
}

// within returns the Applications that are in what was rendered. Those that name no namespace lie in that of their
// application.
func (r Renderer) within(ctx context.Context, from []Rendered) (out []*apps.Application, errs []error) {
	for _, one := range from {
		for _, o := range one.Outcomes {
			objects, err := appset.Parse(o.Result.Output.Text, "what "+o.Name+" renders")
			if err != nil {
				errs = append(errs, err)
				continue
			}
			objects.Settle(one.Application.Spec.Destination.Namespace)
			made, more := r.World.Applications(ctx, objects)
			out, errs = append(out, made...), append(errs, more...)
		}
	}
	return out, errs
}
