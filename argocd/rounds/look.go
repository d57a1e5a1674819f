package rounds

import (
	"cmp"
	"context"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/pipeline"
)

// Look looks into the repositories of those sources that rollstamp renders and whose files are on this machine, and
// returns what is wrong there by the object that they are written in. They are rendered where create is not nil.
// Applications that cannot be generated here are left out.
func (w *World) Look(ctx context.Context, objects *appset.Objects, create NewApplication) map[string][]lint.Seen {
	out := map[string][]lint.Seen{}
	made, _ := w.Applications(ctx, objects)
	for _, a := range made {
		for _, call := range a.PluginCalls(ctx, &w.instance) {
			seen := lint.Seen{Source: call.Source, Refused: call.Err}
			if call.Err == nil && create != nil {
				seen = renderToSee(ctx, a, call, create)
			}
			in := cmp.Or(a.Set, a.String())
			out[in] = append(out[in], seen)
		}
	}
	return out
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
