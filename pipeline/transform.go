package pipeline

import (
	"context"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/render"
)

// withOwnTransforms changes a render as the program does that applies this application. An error about a line of the
// render has the position that the line comes from.
func withOwnTransforms(ctx context.Context, a *app.Application, out *render.Output) (*render.Output, error) {
	for _, transform := range a.Transforms() {
		changed, err := transform(ctx, out)
		if err != nil {
			return nil, NewTrace(ctx, a, out).Error(err)
		}
		out = changed
	}
	return out, nil
}

// withApplier notes what applies the render, where that decides which of its objects reach the cluster.
func withApplier(_ context.Context, a *app.Application, out *render.Output) (*render.Output, error) {
	if a.Origin().Applier != app.KustomizeController {
		return out, nil
	}
	with := *out
	with.ByFlux = true
	return &with, nil
}
