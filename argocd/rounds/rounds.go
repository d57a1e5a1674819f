package rounds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/apps"
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

	reads []string // see described
}

// maxRounds bounds Applications that make Applications.
const maxRounds = 16

// Render renders Applications, each once, and returns them in the order of the rounds, with what failed between the
// rounds. One that fails does not stop the others.
func (r Renderer) Render(ctx context.Context, round []*apps.Application) (done []Rendered, errs []error) {
	defer func() { r.writeRenamed(ctx, done) }()
	first := map[string]*apps.Application{}
	if !r.Recursive {
		round, _ = r.withoutRepeated(round, first) // there is a finding of the others
		done = r.renderRound(ctx, round)
		r.writeRound(ctx, done)
		return done, nil
	}
	for depth := 0; len(round) > 0; depth++ {
		var refused []Rendered
		if depth == maxRounds {
			return done, append(errs, tooDeep(round[0]))
		}
		if depth > 0 {
			round, refused = r.withoutRepeated(round, first)
		}
		results := r.renderRound(ctx, round)
		if depth == 0 {
			results = r.namedFirst(withoutCovered(results), first)
		}
		r.writeRound(ctx, results)
		done = slices.Concat(done, results, refused)
		var more []error
		round, more = r.within(ctx, results)
		errs = append(errs, more...)
	}
	return done, errs
}

// withoutRepeated returns the Applications that are the first of their name, and those of them as failed which are not
// what the first one is.
func (r Renderer) withoutRepeated(
	round []*apps.Application, first map[string]*apps.Application,
) (rest []*apps.Application, refused []Rendered) {
	for _, a := range round {
		name := r.World.nameOf(a)
		switch before := first[name]; {
		case before == nil:
			first[name] = a
			rest = append(rest, a)
		case !isAgain(before, a):
			refused = append(refused, Rendered{Application: a, Err: repeated(before, a)})
		}
	}
	return rest, refused
}

// namedFirst returns those that are the first of their name. Of others in files there is a finding.
func (r Renderer) namedFirst(round []Rendered, first map[string]*apps.Application) []Rendered {
	return slices.DeleteFunc(round, func(one Rendered) bool {
		name := r.World.nameOf(one.Application)
		if first[name] != nil {
			return true
		}
		first[name] = one.Application
		return false
	})
}

// withoutCovered returns the Applications of files that no other renders.
func withoutCovered(round []Rendered) (rest []Rendered) {
	all := make([]described, len(round))
	for i, one := range round {
		all[i] = described{one.Application, one.reads}
	}
	for i, isCovered := range covered(all) {
		if !isCovered {
			rest = append(rest, round[i])
		}
	}
	return rest
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
	errs := fleet.Each(ctx, len(round), func(ctx context.Context, i int) error {
		out[i].Application = round[i]
		return r.renderApplication(ctx, &out[i])
	}, r.Progress)
	for i, err := range errs {
		out[i].Err = err
	}
	return out
}

// writeRound writes the files of Applications side by side, but for those in which names carry digests.
func (r Renderer) writeRound(ctx context.Context, round []Rendered) {
	if r.OutputDir == "" || r.ListOnly {
		return
	}
	errs := fleet.Each(ctx, len(round), func(_ context.Context, i int) error {
		if round[i].Err != nil || slices.ContainsFunc(round[i].Outcomes, fleet.Outcome.Renames) {
			return round[i].Err
		}
		return r.write(round[i].Application, round[i].Outcomes)
	}, nil)
	for i, err := range errs {
		round[i].Err = err
	}
}

// renderApplication fills the rest of what is known of an Application.
func (r Renderer) renderApplication(ctx context.Context, one *Rendered) error {
	a := one.Application
	parts, err := r.World.Parts(ctx, a)
	if err != nil {
		return err
	}
	var read described
	for _, part := range parts {
		o, err := r.renderPart(ctx, part, a, len(parts))
		if err != nil {
			return named(a, part, err)
		}
		one.Outcomes = append(one.Outcomes, o)
		read.read(part.Call.Kind, o.Result.Output.Inputs)
	}
	one.reads = read.reads
	one.Outcomes, err = lastOnly(one.Outcomes, a.Spec.Destination.Namespace)
	return err
}

// named returns an error with the name of an application, and with its place where placed finds one.
func named(a *apps.Application, part apps.Part, err error) error {
	if all := diag.Unjoin(err); len(all) > 1 {
		for i, one := range all {
			all[i] = named(a, part, one)
		}
		return errors.Join(all...)
	}
	if at := placed(a, part, err); at != err { //nolint:errorlint // it is the same one, or another
		return at
	}
	return fmt.Errorf("%s: %w", part.Name, err)
}

// placed returns an error that is about no line of a file, as of what has ended a process or of a file that is not
// there, as one of the Application: at what of it the error is about. Others, and those of how the program was called,
// stay as they are.
func placed(a *apps.Application, part apps.Part, err error) error {
	var known *diag.Error
	if !errors.As(err, &known) || known.Pos.Line > 0 || known.Object != "" || diag.ExitOf(err) == diag.ExitUsage {
		return err
	}
	pos, isWritten := a.PlaceOf(err.Error())
	switch {
	case isWritten:
	case known.Pos.File != "":
		return err
	case part.Pos.Line > 0:
		pos = part.Pos
	}
	return &diag.Error{Exit: diag.ExitOf(err), Object: part.Name, Pos: pos, Err: err, Hint: diag.HintOf(err)}
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
	result, err := pipeline.Run(contain.Named(ctx, part.Name, part.Pos.String()), a)
	if err != nil {
		return fleet.Outcome{}, part.Call.Condition(withoutName(part.Name, err))
	}
	if part.Plugin {
		if err := refusal(ctx, part, a, result.Output); err != nil {
			return fleet.Outcome{}, err
		}
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
			objects, err := Objects(o.Result.Output, "what "+o.Name+" renders")
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
