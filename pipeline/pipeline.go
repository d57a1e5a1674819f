// Package pipeline is the program on one page: it takes one application through all stages, from its files to stamped
// manifests.
package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
)

// Result is one application, rendered and, where that was asked, stamped. It is complete: nothing of it can fail any
// more.
type Result struct {
	Output *render.Output
	// Result is what stamping comes to. Where nothing was to be stamped, it is the rendered text alone.
	stamp.Result
	Stored bool // it comes from the cache

	encoded bool           // documents were encoded again before they were stamped
	damaged []diag.Finding // about the cache, in which it was looked for
	origin  *storedAt      // where it is cached; nil for nowhere
}

// EachObject calls visit with each object of the render, which is valid until the next one, and its position.
func (r *Result) EachObject(ctx context.Context, visit func(manifest.Object, diag.Position)) error {
	return r.eachObject(ctx, manifest.NewReader(r.Output.Text).Next, visit)
}

// EachObjectAt is EachObject for the documents with some offsets of the text, which are sorted.
func (r *Result) EachObjectAt(ctx context.Context, offsets []int, visit func(manifest.Object, diag.Position)) error {
	reader := manifest.NewReader(r.Output.Text)
	return r.eachObject(ctx, func() (*manifest.Document, error) {
		if len(offsets) == 0 {
			return nil, nil
		}
		reader.SkipTo(offsets[0])
		d, err := reader.Next()
		for d != nil && len(offsets) > 0 && offsets[0] < d.End {
			offsets = offsets[1:]
		}
		return d, err
	}, visit)
}

// eachObject is EachObject for the documents that next returns, nil after the last one.
func (r *Result) eachObject(
	ctx context.Context, next func() (*manifest.Document, error), visit func(manifest.Object, diag.Position),
) error {
	offsets, positions := r.Objects.Offsets(), r.Objects.Positions()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := next()
		if err != nil || d == nil {
			return err
		}
		for o := range d.Objects() {
			if at, known := slices.BinarySearch(offsets, o.Node.Offset()); known {
				visit(o, positions[at])
			}
		}
	}
}

// Run takes one application through all the stages. When its time is over, or ctx is cancelled, Run returns at
// once; a template that never ends goes on running, because nothing but the end of the process stops it. What is cached
// is the same result, and is watched as well.
func Run(ctx context.Context, a *app.Application) (*Result, error) {
	rendered, err := RunLazily(ctx, a)
	if err != nil {
		return nil, err
	}
	result, err := rendered.Result()
	if err != nil || !result.Stored {
		return result, err
	}
	if err := watch(a, result.Output); err != nil {
		return nil, NewTrace(ctx, a, result.Output).Error(err)
	}
	return result, nil
}

// run takes one application through all the stages in its time.
func run(ctx context.Context, a *app.Application, cached *cachedRun) (*Result, error) {
	ctx, end, err := contain.Begin(ctx, cmp.Or(a.Name(), a.Path()))
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := limit(ctx, a.Timeout())
	defer cancel()
	type answer struct {
		result *Result
		err    error
	}
	done := make(chan answer, 1)
	var waits waiting
	go func() {
		r, err := cached.stages(ctx, waits.watch(a))
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
		return nil, decryptionTimeout(a)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		contain.Late(ctx, a.Timeout())
	}
	return nil, stopError(a, context.Cause(ctx), contain.While(ctx))
}

// MemoryHint is the next step where a run uses too much memory.
const MemoryHint = render.GrowthHint + moreMemory

// moreMemory is the end of the next step where a run uses too much memory.
const moreMemory = ", or allow more with " + config.EnvMaxMemory + "=8Gi."

// stopError is the error of a run that ended with err, while something was done.
func stopError(a *app.Application, err error, while string) error {
	pos, growth, loop := diag.Position{File: a.Path()}, render.GrowthHint, render.LoopHint
	if isKustomization(a) { // which has no loops of its own
		growth, loop = render.SmallerHint, render.SmallerHint+", or allow more time with --timeout."
	}
	switch {
	case errors.As(err, new(memory.Exceeded)):
		return diag.Input(pos, fmt.Errorf("interrupted: %w%s", err, while), growth+moreMemory)
	case errors.Is(err, context.DeadlineExceeded):
		return diag.Input(pos, fmt.Errorf("not finished after %s%s", a.Timeout(), while), loop)
	}
	return diag.Input(pos, errors.New("interrupted"), "")
}

// isKustomization reports whether an application is rendered as one.
func isKustomization(a *app.Application) bool {
	kind := a.Kind()
	if kind == render.KindAuto && a.Stream() == nil {
		kind, _, _ = Detect(a.Request().Files, a.Path()) // what cannot be read is none
	}
	return kind == render.KindKustomize
}

func decryptionTimeout(a *app.Application) error {
	return &diag.Error{Exit: diag.ExitSource, Pos: diag.Position{File: a.Path()},
		Err:  fmt.Errorf("not finished after %s: it waited for encrypted documents to be decrypted", a.Timeout()),
		Hint: "Allow more time with --timeout, or look for a key service or a gpg that does not answer."}
}

// stages is the list: load, render, transform, and stamp.Make's read, resolve, decide, plan, splice. Each takes values
// and returns values; none looks back. The edits are applied to the text when the result is written.
func stages(ctx context.Context, a *app.Application) (result *Result, err error) {
	defer fault.Catch(&err)
	out := a.Stream()
	if out == nil {
		if out, err = renderOrFind(ctx, a); err != nil {
			return nil, err
		}
	}
	for _, transform := range transforms {
		if out, err = transform(ctx, a, out); err != nil {
			return nil, err
		}
	}
	if a.Stamping() == nil {
		return &Result{Output: out, Result: stamp.Result{Text: splice.Edited{Text: out.Text}}}, nil
	}
	return Stamp(ctx, a, out)
}

// Stamp stamps what an application renders to, by its settings.
func Stamp(ctx context.Context, a *app.Application, out *render.Output) (*Result, error) {
	options, found, err := stampOptions(ctx, a, out)
	if err != nil {
		return nil, err
	}
	stamped, err := stamp.Make(ctx, out, options)
	if err != nil {
		return nil, NewTrace(ctx, a, out).Error(err)
	}
	if len(found) > 0 {
		stamped.Plan.Findings = diag.Sort(append(stamped.Plan.Findings, found...))
	}
	return &Result{Output: stamped.Render, Result: *stamped, encoded: stamped.Render != out}, nil
}

// WorkloadsUnder returns the workloads of what an application rendered to, as they are under other settings about other
// tools, and with what else the output has to look up. Where the result was retained, it is not read again.
func (r *Result) WorkloadsUnder(
	ctx context.Context, a *app.Application, settings *config.Settings, out *render.Output,
) ([]plan.Workload, error) {
	a = a.WithSettings(settings)
	if !r.Input.MayReadAgain() {
		stamped, err := Stamp(ctx, a, out)
		if err != nil {
			return nil, err
		}
		return stamped.Plan.Workloads, nil
	}
	workloads, err := r.Input.Workloads(ctx, out, settings)
	if err != nil {
		return nil, NewTrace(ctx, a, out).Error(err)
	}
	return workloads, nil
}

// transforms are what changes a render before it is read or printed: text, second render, origins and context together.
var transforms = []func(context.Context, *app.Application, *render.Output) (*render.Output, error){
	withOwnTransforms, withApplier, withContext, withAdditions,
}

// stampOptions returns how a render of the application is stamped, and what is to be reported of that.
func stampOptions(
	ctx context.Context, a *app.Application, out *render.Output,
) (stamp.Options, []diag.Finding, error) {
	settings, how := a.Settings(), a.Stamping()
	decisions, err := decisionsOf(a)
	if err != nil {
		return stamp.Options{}, nil, err
	}
	earlier, err := earlierOf(ctx, a, out)
	return stamp.Options{
		Namespace: string(settings.Namespace.Value), Settings: settings,
		Key: how.Key, Resolver: how.Resolver, Decrypter: how.Decrypter, Rename: how.Rename, Watch: how.Watch,
		Decisions: decisions, Argument: argumentOf(a), Earlier: earlier.Text, EarlierShared: a.SharesEarlier(),
		KeepNames: how.KeepNames, ForReport: how.ForReport, Retain: how.Retain, KeepUncompared: how.KeepUncompared,
	}, earlier.Findings, err
}

// argumentOf returns how commands take an application as an argument; "" where it lies in the working folder, or where
// no argument means it that a shell takes as it is.
func argumentOf(a *app.Application) string {
	name, isPath := a.Name(), a.Origin().Pos == (diag.Position{})
	if name == "." || name == "-" || !isPath && !strings.Contains(name, "@") ||
		strings.ContainsAny(name, " \t'\"`\\$&;|<>()*?[]#~!{}") {
		return ""
	}
	return name
}

// Findings returns what a person should know about the render and the stamps.
func (r *Result) Findings() []diag.Finding {
	if len(r.damaged) > 0 {
		return slices.Concat(r.ofRender(), r.damaged)
	}
	return r.ofRender()
}

func (r *Result) ofRender() []diag.Finding {
	if r.Plan != nil {
		return r.Plan.Findings // the render's are among them
	}
	if len(bytes.TrimSpace(r.Output.Text)) == 0 && !r.Output.IsEmptied() {
		return append(slices.Clone(r.Output.Findings), diag.New(diag.NoObjects, "", "the render holds no object"))
	}
	return r.Output.Findings
}

// WriteTo writes the stamped manifests, or the rendered ones where nothing was to be stamped.
func (r *Result) WriteTo(w io.Writer) (int64, error) { return r.Text.WriteTo(w) }
