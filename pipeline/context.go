package pipeline

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/render"
)

// withContext reads the manifests in which an application's settings have objects looked up, which only stamping does.
// They count as inputs of the render.
func withContext(ctx context.Context, a *app.Application, out *render.Output) (*render.Output, error) {
	engine := a.Engine(render.KindPlain)
	paths := a.Settings().Context.Value
	if a.Stamping() == nil || engine == nil || len(paths) == 0 {
		return out, nil
	}
	with := *out
	with.Context, with.Inputs = slices.Clone(out.Context), slices.Clone(out.Inputs)
	for _, path := range paths {
		read, err := engine.Render(ctx, render.Request{
			Path: string(path), Files: a.Request().Files, Roots: a.Request().Roots, Plain: render.PlainOptions{Recursive: true},
		})
		if err != nil {
			return nil, err
		}
		with.Context = append(with.Context, read)
		with.Inputs = append(with.Inputs, read.Inputs...)
	}
	slices.Sort(with.Inputs)
	with.Inputs = slices.Compact(with.Inputs)
	return &with, nil
}
