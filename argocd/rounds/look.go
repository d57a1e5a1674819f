package rounds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/argocd/paths"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// Checks look into sources that are not rendered.
type Checks struct {
	Refs  CheckRefs
	Files func(ctx context.Context, call *argocd.Call, req render.Request) []error // named there, and would be refused
}

// CheckRefs reports whether the other repositories that a call names can be read here, or returns the error with which
// the plugin refuses it.
type CheckRefs func(call *argocd.Call) (isAtHand bool, err error)

// Answer renders a call of the plugin as the plugin does, and refuses what that refuses.
type Answer func(ctx context.Context, call *argocd.Call) (*pipeline.Result, error)

// Look looks into the repositories of those sources that rollstamp renders and whose files are on this machine, and
// returns what is wrong there by the object that they are written in. They are rendered where answer is not nil. Of an
// object that cannot be read, whose Applications cannot be generated here, or that needs a repository which is not at
// hand, it returns why. The error is that it was interrupted.
func (w *World) Look(
	ctx context.Context, objects *appset.Objects, check Checks, answer Answer,
) (map[string]*lint.Looked, error) {
	out := looks{}
	for _, failed := range objects.Failed {
		out.leave(failed.Object(), lint.Unjudged{Err: failed, Generator: -1})
	}
	made := slices.Clone(objects.Applications)
	for _, set := range objects.Sets {
		generated, failed := set.Known(ctx, &w.around)
		for _, f := range failed {
			out.leave(set.String(), lint.Unjudged{Err: f.Err, Generator: f.Generator, Unknown: appset.IsUnknown(f.Err),
				New: appset.IsNew(f.Err)})
		}
		if len(generated)+len(failed) == 0 {
			out.leave(set.String(), lint.Unjudged{Err: set.NoApplications(), Generator: -1, Unknown: true})
		}
		made = append(made, generated...)
	}
	for _, a := range made {
		of := out.of(cmp.Or(a.Set, a.String()))
		before := len(of.Sources)
		for _, f := range a.CheckFields() {
			of.Fields = append(of.Fields, lint.Field(f))
		}
		for source, err := range a.CheckSources() {
			of.Sources = append(of.Sources, lint.Seen{Source: source, Invalid: err})
		}
		for _, native := range a.NativeCalls(ctx, &w.instance) {
			if native.Err != nil {
				of.Sources = append(of.Sources, lint.Seen{Source: native.Source, Refused: native.Err})
			}
		}
		for _, call := range a.PluginCalls(ctx, &w.instance) {
			out.source(ctx, a, call, check, answer)
			if ctx.Err() != nil {
				return nil, interruption(a, context.Cause(ctx))
			}
		}
		if a.Set == "" {
			continue
		}
		of.Made = append(of.Made, lint.Made{Name: a.String(), Spec: a.Fields("spec"), Metadata: a.Fields("metadata")})
		for i := before; i < len(of.Sources); i++ {
			source := of.Sources[i].Source
			of.Sources[i].Of = a.String()
			of.Sources[i].Find = func(message string) lint.Found { return lint.Found(a.FindIn(source, message)) }
		}
	}
	return out, nil
}

// interruption returns the error of a look that was ended with an Application: because memory ended, or by the user.
func interruption(a *apps.Application, cause error) error {
	if full := (memory.Exceeded{}); errors.As(cause, &full) {
		return a.Fail(fmt.Errorf("interrupted: %w", full), render.GrowthHint+".")
	}
	return cause
}

// source looks into one source of an Application.
func (l looks) source(ctx context.Context, a *apps.Application, call apps.PluginCall, check Checks, answer Answer) {
	object := cmp.Or(a.Set, a.String())
	of := l.of(object)
	if call.Elsewhere != nil {
		of.Sources = append(of.Sources, lint.Seen{Source: call.Source, Elsewhere: call.Elsewhere})
		return
	}
	seen, isAtHand := lint.Seen{Source: call.Source, Refused: call.Err}, true
	if call.Call == nil {
		of.Sources = append(of.Sources, seen)
		return
	}
	recorder := files.NewRecorder(call.Call.Files)
	call.Call.Files = recorder
	if call.Err == nil && call.Call.Remote() {
		isAtHand, seen.Refused = check.Refs(call.Call)
		seen.Refused = call.Call.Condition(seen.Refused)
	}
	switch {
	case seen.Refused != nil:
		of.Sources = append(of.Sources, seen)
	case !isAtHand || answer == nil && call.Call.Remote():
		of.Sources = append(of.Sources, lint.Seen{Source: call.Source, Elsewhere: errElsewhere(), ByRefs: true})
	case answer != nil:
		of.Sources = append(of.Sources, renderToSee(ctx, a, call, answer))
	default:
		of.Sources = append(of.Sources, checkFiles(ctx, call, check)...)
	}
	if left := uncovered(a, call.Call, recorder); len(left) > 0 {
		of.Sources = append(of.Sources, lint.Seen{Source: call.Source, Uncovered: left})
	}
}

// uncovered returns the files that a call has read, and those of its folder, which the annotation of its Application
// leaves out.
func uncovered(a *apps.Application, call *argocd.Call, recorder *files.Recorder) []string {
	value := a.Annotation(paths.Annotation)
	if value == "" || call.Path == "" { // a chart of a registry has no paths
		return nil
	}
	also := []string{call.Config}
	entries, _ := recorder.Base().ReadDir(call.Dir) // what cannot be read is reported otherwise
	for _, e := range entries {
		also = append(also, filepath.Join(call.Dir, e.Name()))
	}
	return paths.Of(recorder, call.Dir, call.Root, also...).Missing(value)
}

// checkFiles returns what is named in the files of a source and would be refused.
func checkFiles(ctx context.Context, call apps.PluginCall, check Checks) (out []lint.Seen) {
	req, _, err := call.Call.Request()
	if err != nil {
		return []lint.Seen{{Source: call.Source, Refused: call.Call.Condition(err)}}
	}
	for _, err := range check.Files(ctx, call.Call, req) {
		err = &diag.Error{Exit: diag.ExitOf(err), Err: errors.New(call.Call.Plain(err.Error())), Hint: diag.HintOf(err)}
		out = append(out, lint.Seen{Source: call.Source, Refused: err})
	}
	return out
}

// errElsewhere returns why a source is not looked into whose refs are in another repository.
func errElsewhere() error {
	return diag.Usage(errors.New("refs name another repository, which was not read"),
		"With --render --allow network it is fetched.")
}

// looks are what was seen of objects, by their names.
type looks map[string]*lint.Looked

func (l looks) of(object string) *lint.Looked {
	if l[object] == nil {
		l[object] = &lint.Looked{}
	}
	return l[object]
}

// leave records something of an object that was not looked into.
func (l looks) leave(object string, u lint.Unjudged) {
	of := l.of(object)
	of.Unjudged = append(of.Unjudged, u)
}

// withoutName returns an error without the name of an application, which that about what has ended a process has: a
// finding has it in a field of its own.
func withoutName(name string, err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), name+": ") {
		return err
	}
	return diag.Input(diag.Position{}, errors.New(strings.TrimPrefix(err.Error(), name+": ")), diag.HintOf(err))
}

// renderToSee renders a source, twice where something in it may be random.
func renderToSee(ctx context.Context, a *apps.Application, call apps.PluginCall, answer Answer) lint.Seen {
	seen := lint.Seen{Source: call.Source}
	result, err := answer(contain.Named(ctx, a.String(), a.Pos.String()), call.Call)
	if err == nil {
		seen.Rendered, seen.Stamped = true, stamped(result)
		seen.Unstable, seen.Rolling, err = convert.Unstable(result.Output.Text, result.Output.SecondRender)
	}
	seen.Refused = withoutName(a.String(), call.Call.Condition(err))
	return seen
}

// stamped returns the workloads of a render that get stamps where they read something.
func stamped(result *pipeline.Result) (out []lint.Workload) {
	for _, w := range result.Plan.Workloads {
		if w.Stamped && len(w.References) > 0 {
			out = append(out, lint.Workload{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name})
		}
	}
	return out
}
