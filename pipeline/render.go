package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// renderOrFind runs the engine of an application. Where transforms change what it returns, no result of the application
// is cached, and what the engine returned is.
func renderOrFind(ctx context.Context, a *app.Application) (*render.Output, error) {
	if len(a.Transforms()) == 0 {
		return renderApp(ctx, a)
	}
	engine := a.WithEngineAlone()
	cached := newCachedRun(engine)
	if cached == nil {
		return renderApp(ctx, a)
	}
	if found := cached.find(ctx); found != nil {
		if result, err := found.Result(); err == nil {
			return withDamage(result), nil
		}
	}
	result, err := cached.stages(ctx, engine)
	if err != nil {
		return nil, err
	}
	return withDamage(result), nil
}

// withDamage returns the output of a result with what is to be reported of the cache.
func withDamage(r *Result) *render.Output {
	if len(r.damaged) == 0 {
		return r.Output
	}
	out := *r.Output
	out.Findings = slices.Concat(out.Findings, r.damaged)
	return &out
}

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
	if f, ok := unusedValues(a, kind); ok {
		detected.Findings = append(slices.Clip(detected.Findings), f)
	}
	if detected.Why == "" {
		detected.Why = why
	}
	return &detected, nil
}

// unusedValues reports values for what is no chart.
func unusedValues(a *app.Application, kind render.Kind) (f diag.Finding, ok bool) {
	o := a.Request().Helm
	given := slices.Concat(o.ValuesFiles, o.Set, o.SetString, o.SetFile, o.SetJSON, o.SetLiteral)
	if kind == render.KindHelm || a.Request().Kustomize.TraceOf != nil || len(given) == 0 {
		return f, false
	}
	what := "the values of --set"
	if files := o.ValuesFiles; len(files) > 0 {
		what = "the values of " + strings.Join(files, ", ")
	}
	f = diag.New(diag.ValuesUnused, "", what+" have no effect: it is rendered as "+string(kind)+", and is no chart")
	return f.At(diag.Position{File: a.Path()}), true
}

// limit returns a context that ends after a timeout; 0 is none.
func limit(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}
