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

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// Result is one application, rendered and, where that was asked, stamped. It is complete: nothing of it can fail any
// more.
type Result struct {
	Output *render.Output
	Plan   *stamp.Plan // nil where nothing was to be stamped
}

// Run takes one application through all the stages. When its time is over, or ctx is cancelled, Run returns at
// once; a template that never ends is left behind, because nothing but the end of the process stops it.
func Run(ctx context.Context, a *app.Application) (*Result, error) {
	ctx, cancel := limit(ctx, a.Timeout())
	defer cancel()
	type answer struct {
		result *Result
		err    error
	}
	done := make(chan answer, 1)
	var waits waiting
	go func() {
		r, err := stages(ctx, waits.watch(a))
		done <- answer{r, err}
	}()
	var got answer
	select {
	case got = <-done:
	case <-ctx.Done():
		if waits.asking.Load() { // it ends at once, too, and reports for whom it waited
			select {
			case got = <-done:
			case <-time.After(toTell):
			}
		}
	}
	switch {
	case got.result != nil, ctx.Err() == nil, waits.asking.Load() && diag.ExitOf(got.err) == diag.ExitSource:
		return got.result, got.err
	case waits.opening.Load() && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, unopened(a)
	}
	return nil, stopped(a, ctx.Err())
}

func limit(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}

func stopped(a *app.Application, err error) error {
	pos := diag.Position{File: a.Path()}
	if errors.Is(err, context.DeadlineExceeded) {
		return diag.Input(pos, fmt.Errorf("not finished after %s", a.Timeout()),
			"Give it more time with --timeout, or look for a loop in its templates.")
	}
	return diag.Input(pos, errors.New("interrupted"), "")
}

func unopened(a *app.Application) error {
	return &diag.Error{Exit: diag.ExitSource, Pos: diag.Position{File: a.Path()},
		Err:  fmt.Errorf("not finished after %s: it waited for encrypted documents to be opened", a.Timeout()),
		Hint: "Give it more time with --timeout, or look for a key service or a gpg that does not answer."}
}

// stages is the list. Each stage takes values and returns values; none looks back.
func stages(ctx context.Context, a *app.Application) (result *Result, err error) {
	defer fault.Catch(&err)
	out := a.Stream()
	if out == nil {
		if out, err = renderApp(ctx, a); err != nil {
			return nil, err
		}
	}
	if a.Stamping() == nil {
		return &Result{Output: out}, nil
	}
	opts, err := withContext(ctx, a, out)
	if err != nil {
		return nil, err
	}
	plan, err := stamp.Make(ctx, out, opts)
	if err != nil {
		return nil, NewTrace(ctx, a, out).Error(err)
	}
	return &Result{Output: out, Plan: plan}, nil
}

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
