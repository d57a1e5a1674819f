// Package pipeline is the program on one page: it takes one application through all stages, from its files to stamped
// manifests.
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
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
)

// Result is one application, rendered and, where that was asked, stamped. It is complete: nothing of it can fail any
// more.
type Result struct {
	Output  *render.Output
	Plan    *plan.Plan    // nil where nothing was to be stamped
	Text    splice.Edited // the manifests, stamped where there is a plan
	Objects stamp.Objects // the objects of the manifests, where there is a plan
	Asked   []sources.Ref // what the resolver was asked for, each once, sorted by ID

	// Reported is what the resolver reports of its answers.
	Reported []diag.Finding
}

// Run takes one application through all the stages. When its time is over, or ctx is cancelled, Run returns at
// once; a template that never ends goes on running, because nothing but the end of the process stops it.
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
			case <-time.After(graceToReport):
			}
		}
	}
	switch {
	case got.result != nil, ctx.Err() == nil, waits.asking.Load() && diag.ExitOf(got.err) == diag.ExitSource:
		return got.result, got.err
	case waits.decrypting.Load() && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, undecrypted(a)
	}
	return nil, stopped(a, ctx.Err())
}

func stopped(a *app.Application, err error) error {
	pos := diag.Position{File: a.Path()}
	if errors.Is(err, context.DeadlineExceeded) {
		return diag.Input(pos, fmt.Errorf("not finished after %s", a.Timeout()),
			"Allow more time with --timeout, or look for a loop in its templates.")
	}
	return diag.Input(pos, errors.New("interrupted"), "")
}

func undecrypted(a *app.Application) error {
	return &diag.Error{Exit: diag.ExitSource, Pos: diag.Position{File: a.Path()},
		Err:  fmt.Errorf("not finished after %s: it waited for encrypted documents to be decrypted", a.Timeout()),
		Hint: "Allow more time with --timeout, or look for a key service or a gpg that does not answer."}
}

// stages is the list: load, render, transform, read, resolve, decide, plan, splice. Each takes values and returns
// values; none looks back. The edits are applied to the text when the result is written.
func stages(ctx context.Context, a *app.Application) (result *Result, err error) {
	defer fault.Catch(&err)
	out := a.Stream()
	if out == nil {
		if out, err = renderApp(ctx, a); err != nil {
			return nil, err
		}
	}
	for _, transform := range transforms {
		if out, err = transform(ctx, a, out); err != nil {
			return nil, err
		}
	}
	if a.Stamping() == nil {
		return &Result{Output: out, Text: splice.Edited{Text: out.Text}}, nil
	}
	if result, err = stampOutput(ctx, out, stampOptions(a)); err != nil {
		return nil, NewTrace(ctx, a, out).Error(err)
	}
	return result, nil
}

// transforms are what changes a render before it is read or printed: text, second render, origins and context together.
var transforms = []func(context.Context, *app.Application, *render.Output) (*render.Output, error){withContext}

// stampOptions returns how the application is stamped.
func stampOptions(a *app.Application) stamp.Options {
	settings, how := a.Settings(), a.Stamping()
	return stamp.Options{
		Namespace: string(settings.Namespace.Value), Settings: settings,
		Key: how.Key, Resolver: how.Resolver, Decrypter: how.Decrypter, Watch: how.Watch,
	}
}

// stampOutput is the part of the list that stamps.
func stampOutput(ctx context.Context, out *render.Output, opts stamp.Options) (*Result, error) {
	in, err := stamp.Read(ctx, out, opts)
	if err != nil {
		return nil, err
	}
	resolved, err := stamp.Resolve(ctx, in, opts)
	if err != nil {
		return nil, err
	}
	decided, err := stamp.Decide(resolved, opts)
	if err != nil {
		return nil, err
	}
	wanted := policy.Apply(decided.Places, decided.Wanted, policy.Of(opts.Settings))
	p, edits := stamp.Plan(decided, wanted)
	return &Result{
		Output: out, Plan: p, Text: splice.Edited{Text: out.Text, Edits: edits}, Objects: in.Objects(),
		Asked: resolved.Asked(), Reported: resolved.Reported(),
	}, nil
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
func (r *Result) WriteTo(w io.Writer) (int64, error) { return r.Text.WriteTo(w) }
