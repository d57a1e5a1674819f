package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// renderApp runs the engine of an application, which its files name where it does not.
func renderApp(ctx context.Context, a *app.Application) (*render.Output, error) {
	kind, why := a.Kind(), "asked for with --as"
	if kind == render.KindAuto {
		var err error
		if kind, why, err = Detect(a.Request().Files, a.Path()); err != nil {
			return nil, err
		}
	}
	engine := a.Engine(kind)
	if engine == nil {
		return nil, diag.Usage(fmt.Errorf("render %s: no engine for %q", a.Path(), kind),
			"--as takes helm, kustomize or plain.")
	}
	out, err := engine.Render(ctx, a.Request())
	if err != nil {
		return nil, err
	}
	detected := *out
	detected.Kind = kind
	if detected.Why == "" {
		detected.Why = why
	}
	return &detected, nil
}

// limit returns a context that ends after a timeout; 0 is none.
func limit(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}
