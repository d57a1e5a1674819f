package pipeline

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/render"
)

// withContext adds what an application's settings have objects looked up in, which only stamping does. What is read for
// it counts as inputs of the render. Where it cannot be rendered, the stamps that need it fail, and no others.
func withContext(ctx context.Context, a *app.Application, out *render.Output) (*render.Output, error) {
	if a.Stamping() == nil || a.Stamping().Context == nil || len(a.Settings().Context.Value) == 0 {
		return out, nil
	}
	with := *out
	all, err := a.Stamping().Context.Outputs(ctx, a)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		with.ContextErr = err
		return &with, nil
	}
	if all = slices.Clone(all); out.ByFlux { // what asks Flux to leave it, Flux is to apply
		for i, one := range all {
			left := *one
			left.ByFlux, all[i] = true, &left
		}
	}
	with.Context, with.Inputs = slices.Concat(out.Context, all), slices.Clone(out.Inputs)
	for _, one := range all {
		with.Inputs = append(with.Inputs, one.Inputs...)
	}
	slices.Sort(with.Inputs)
	with.Inputs = slices.Compact(with.Inputs)
	return &with, nil
}
