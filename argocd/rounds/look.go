package rounds

import (
	"cmp"
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/pipeline"
)

// Look looks into the repositories of those sources that rollstamp renders and whose files are on this machine, and
// returns what is wrong there by the object that they are written in. They are rendered where create is not nil. Of an
// object that cannot be read, or whose Applications cannot be generated here, it returns why.
func (w *World) Look(ctx context.Context, objects *appset.Objects, create NewApplication) map[string]*lint.Looked {
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
			seen := lint.Seen{Source: call.Source, Refused: call.Err}
			if call.Err == nil && create != nil {
				seen = renderToSee(ctx, a, call, create)
			}
			of := out.of(cmp.Or(a.Set, a.String()))
			of.Sources = append(of.Sources, seen)
		}
	}
	return out
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
