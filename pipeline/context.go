package pipeline

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// withContext reads the manifests in which an application's settings have objects looked up. They count as inputs of the
// render.
func withContext(ctx context.Context, a *app.Application, out *render.Output) (stamp.Options, error) {
	opts := stampOptions(a)
	engine := a.Engine(render.KindPlain)
	if engine == nil {
		return opts, nil
	}
	for _, path := range opts.Settings.Context.Value {
		read, err := engine.Render(ctx, render.Request{
			Path: string(path), Files: a.Request().Files, Roots: a.Request().Roots, Plain: render.PlainOptions{Recursive: true},
		})
		if err != nil {
			return opts, err
		}
		opts.Context = append(slices.Clip(opts.Context), read)
		out.Inputs = append(out.Inputs, read.Inputs...)
	}
	if len(opts.Context) > 0 {
		slices.Sort(out.Inputs)
		out.Inputs = slices.Compact(out.Inputs)
	}
	return opts, nil
}

// stampOptions returns how the application is stamped, without the manifests of its context.
func stampOptions(a *app.Application) stamp.Options {
	settings, how := a.Settings(), a.Stamping()
	return stamp.Options{
		Namespace: string(settings.Namespace.Value), Settings: settings,
		Key: how.Key, Resolver: how.Resolver, Decrypter: how.Decrypter, Watch: how.Watch,
	}
}
