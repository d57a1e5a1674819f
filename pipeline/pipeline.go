// Package pipeline is the program on one page: detect, render, stamp, for one application or for many.
package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// Engines are the renderers, by what they render.
type Engines map[render.Kind]render.Engine

// App is one application and what is to be done with it.
type App struct {
	As      render.Kind    // KindAuto: what the files say
	Request render.Request // what the engine is asked
	Output  *render.Output // a stream that was read already; nothing is rendered then
	Timeout time.Duration  // for all of it; 0 means as long as it takes
	Stamp   *stamp.Options // nil: render only
}

// Result is one application, rendered and, where that was asked, stamped. It is complete: nothing of it can fail any more.
type Result struct {
	Output *render.Output
	Plan   *stamp.Plan // nil where nothing was to be stamped
}

// Run takes one application through all the stages. When its time is over, or ctx is cancelled, Run returns at
// once; a template that never ends is left behind, because nothing but the end of the process stops it.
func Run(ctx context.Context, engines Engines, app App) (*Result, error) {
	ctx, cancel := limit(ctx, app.Timeout)
	defer cancel()
	type answer struct {
		result *Result
		err    error
	}
	done := make(chan answer, 1)
	var waits waiting
	go func() {
		r, err := stages(ctx, engines, waits.watch(app))
		done <- answer{r, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		if waits.asking.Load() { // it ends at once, too, and tells for whom it waited
			select {
			case a = <-done:
			case <-time.After(toTell):
			}
		}
	}
	switch {
	case a.result != nil, ctx.Err() == nil, waits.asking.Load() && diag.ExitOf(a.err) == diag.ExitSource:
		return a.result, a.err
	case waits.opening.Load() && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, unopened(app)
	}
	return nil, stopped(app, ctx.Err())
}

func limit(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}

func stopped(app App, err error) error {
	pos := diag.Position{File: app.Request.Path}
	if errors.Is(err, context.DeadlineExceeded) {
		return diag.Input(pos, fmt.Errorf("not finished after %s", app.Timeout),
			"Give it more time with --timeout, or look for a loop in its templates.")
	}
	return diag.Input(pos, errors.New("interrupted"), "")
}

func unopened(app App) error {
	return &diag.Error{Exit: diag.ExitSource, Pos: diag.Position{File: app.Request.Path},
		Err:  fmt.Errorf("not finished after %s: it waited for encrypted documents to be opened", app.Timeout),
		Hint: "Give it more time with --timeout, or look for a key service or a gpg that does not answer."}
}

// stages is the list. Each stage takes values and returns values; none looks back.
func stages(ctx context.Context, engines Engines, app App) (result *Result, err error) {
	defer fault.Catch(&err)
	out := app.Output
	if out == nil {
		if out, err = renderApp(ctx, engines, app); err != nil {
			return nil, err
		}
	}
	if app.Stamp == nil {
		return &Result{Output: out}, nil
	}
	opts, err := withContext(ctx, engines, app, out)
	if err != nil {
		return nil, err
	}
	plan, err := stamp.Make(ctx, out, opts)
	if err != nil {
		return nil, NewTrace(ctx, engines, app, out).Error(err)
	}
	return &Result{Output: out, Plan: plan}, nil
}

func renderApp(ctx context.Context, engines Engines, app App) (*render.Output, error) {
	kind, why := app.As, "asked for with --as"
	if kind == render.KindAuto {
		var err error
		if kind, why, err = Detect(app.Request.Files, app.Request.Path); err != nil {
			return nil, err
		}
	}
	engine := engines[kind]
	if engine == nil {
		return nil, diag.Usage(fmt.Errorf("render %s: no engine for %q", app.Request.Path, kind), "--as takes helm, kustomize or plain.")
	}
	out, err := engine.Render(ctx, app.Request)
	if err != nil {
		return nil, err
	}
	out.Kind = kind
	if out.Why == "" {
		out.Why = why
	}
	return out, nil
}

// Findings returns what a person should know about the render and the stamps.
func (r *Result) Findings() []diag.Finding {
	if r.Plan != nil {
		return r.Plan.Findings // the render's are among them
	}
	if len(bytes.TrimSpace(r.Output.Text)) == 0 {
		return append(slices.Clone(r.Output.Findings), diag.New(diag.NoObjects, "", "the render holds no object"))
	}
	return r.Output.Findings
}

// WriteTo writes the stamped manifests, or the rendered ones where nothing was to be stamped.
func (r *Result) WriteTo(w io.Writer) (int64, error) {
	if r.Plan != nil {
		return r.Plan.WriteTo(w)
	}
	n, err := w.Write(r.Output.Text)
	return int64(n), err
}
