package pipeline

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// withContext reads the manifests in which an application's settings say to look things up. They count as inputs of the render.
func withContext(ctx context.Context, engines Engines, app App, out *render.Output) (stamp.Options, error) {
	opts := *app.Stamp
	engine := engines[render.KindPlain]
	if opts.Settings == nil || len(opts.Settings.Context.Value) == 0 || engine == nil {
		return opts, nil
	}
	for _, path := range opts.Settings.Context.Value {
		read, err := engine.Render(ctx, render.Request{Path: string(path), Files: app.Request.Files, Roots: app.Request.Roots,
			Plain: render.PlainOptions{Recursive: true}})
		if err != nil {
			return opts, err
		}
		opts.Context = append(slices.Clip(opts.Context), read)
		out.Inputs = append(out.Inputs, read.Inputs...)
	}
	slices.Sort(out.Inputs)
	out.Inputs = slices.Compact(out.Inputs)
	return opts, nil
}
