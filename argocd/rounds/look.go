package rounds

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// Checks look into sources that are not rendered.
type Checks struct {
	Refs  CheckRefs
	Files func(ctx context.Context, kind render.Kind, req render.Request) []error // named there, and would be refused
}

// CheckRefs reports whether the other repositories that a call names can be read here, or returns the error with which
// the plugin refuses it.
type CheckRefs func(call *argocd.Call) (isAtHand bool, err error)

// Look looks into the repositories of those sources that rollstamp renders and whose files are on this machine, and
// returns what is wrong there by the object that they are written in. They are rendered where create is not nil. Of an
// object that cannot be read, whose Applications cannot be generated here, or that needs a repository which is not at
// hand, it returns why.
func (w *World) Look(
	ctx context.Context, objects *appset.Objects, check Checks, create NewApplication,
) map[string]*lint.Looked {
	out := looks{}
	for _, failed := range objects.Failed {
		out.leave(failed.Object(), lint.Unjudged{Err: failed, Generator: -1})
	}
	made := slices.Clone(objects.Applications)
	for _, set := range objects.Sets {
		generated, failed := set.Known(ctx, &w.around)
		for _, f := range failed {
			out.leave(set.String(), lint.Unjudged{Err: f.Err, Generator: f.Generator, Unknown: appset.IsUnknown(f.Err)})
		}
		if len(generated)+len(failed) == 0 {
			out.leave(set.String(), lint.Unjudged{Err: set.NoApplications(), Generator: -1, Unknown: true})
		}
		made = append(made, generated...)
	}
	for _, a := range made {
		for _, call := range a.PluginCalls(ctx, &w.instance) {
			seen, isAtHand := lint.Seen{Source: call.Source, Refused: call.Err}, true
			if call.Err == nil && call.Call.Remote() {
				isAtHand, seen.Refused = check.Refs(call.Call)
				seen.Refused = call.Call.Condition(seen.Refused)
			}
			object := cmp.Or(a.Set, a.String())
			switch {
			case seen.Refused != nil:
			case !isAtHand || create == nil && call.Call.Remote():
				out.leave(object, lint.Unjudged{Err: errElsewhere(), Generator: -1, Unknown: true})
				continue
			case create != nil:
				seen = renderToSee(ctx, a, call, create)
			default:
				of := out.of(object)
				of.Sources = append(of.Sources, checkFiles(ctx, call, check)...)
				continue
			}
			of := out.of(object)
			of.Sources = append(of.Sources, seen)
		}
	}
	return out
}

// checkFiles returns what is named in the files of a source and would be refused.
func checkFiles(ctx context.Context, call apps.PluginCall, check Checks) (out []lint.Seen) {
	req, _, err := call.Call.Request()
	if err != nil {
		return []lint.Seen{{Source: call.Source, Refused: call.Call.Condition(err)}}
	}
	for _, err := range check.Files(ctx, call.Call.Kind, req) {
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

// renderToSee renders a source, twice where something in it may be random.
func renderToSee(ctx context.Context, a *apps.Application, call apps.PluginCall, create NewApplication) lint.Seen {
	seen := lint.Seen{Source: call.Source}
	made, err := create(apps.Part{Name: a.String(), Call: call.Call, Plugin: true})
	if err != nil {
		seen.Refused = call.Call.Condition(err)
		return seen
	}
	result, err := pipeline.Run(ctx, made)
	if err == nil {
		seen.Unstable, seen.Rolling, err = convert.Unstable(result.Output.Text, result.Output.SecondRender)
	}
	seen.Refused = call.Call.Condition(err)
	return seen
}
