package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
)

// Trace reports where in the files of an application that stands of which errors and findings tell. The objects of a kustomization do not
// know their file unless it is built once more; that is done when a place is first asked for that nobody knows otherwise.
type Trace struct {
	build func() *render.Places
	built *render.Places
	lines *render.Lines
	path  string
}

// NewTrace tells the places of a render of app. Without out, what was rendered is not there any more, and is made again where it is
// needed. It is for one goroutine.
func NewTrace(ctx context.Context, engines Engines, app App, out *render.Output) *Trace {
	t := &Trace{lines: render.NewLines(app.Request.Files), path: app.Request.Path}
	t.build = func() *render.Places {
		if app.Output != nil {
			return render.NewPlaces(app.Output.Text, app.Output.Origins)
		}
		ctx, cancel := limit(ctx, app.Timeout)
		defer cancel()
		traced, err := traced(ctx, engines, app, out)
		if err != nil {
			traced = &render.Output{} // the render is good, and its lines are told
		}
		return render.NewPlaces(traced.Text, traced.Origins)
	}
	return t
}

// errOnce keeps programs of others from being run once more for the sake of a line.
var errOnce = errors.New("plugins run once")

// traced returns a render whose objects know their files.
func traced(ctx context.Context, engines Engines, app App, out *render.Output) (*render.Output, error) {
	if out != nil && out.Kind != render.KindKustomize {
		return out, nil
	}
	if k := app.Request.Kustomize; k.EnableExec || k.EnableAlphaPlugin {
		return nil, errOnce
	}
	if out != nil {
		app.As = out.Kind
	}
	app.Request.Kustomize.Trace, app.Request.Kustomize.TraceOf = true, out
	return renderApp(ctx, engines, app)
}

// At completes a position of what is said about an object, which may be "".
func (t *Trace) At(pos diag.Position, object string) diag.Position {
	if pos.OfRender() {
		if t.built == nil {
			t.built = t.build()
		}
		line := pos.Line
		if pos = t.built.Line(line); pos.File == "" {
			pos = diag.Position{File: t.path, RenderLine: line}
		}
	}
	return t.lines.Complete(pos, object)
}

// Findings returns findings their places, and puts them into the order of these.
func (t *Trace) Findings(found []diag.Finding) []diag.Finding {
	return diag.Sort(t.placed(found))
}

func (t *Trace) placed(found []diag.Finding) []diag.Finding {
	placed := make([]diag.Finding, len(found))
	for i, f := range found {
		placed[i] = f.At(t.At(f.Position(), f.Object))
	}
	return placed
}

// Workloads returns findings about references, and what makes the objects, their places.
func (t *Trace) Workloads(all []plan.Workload) []plan.Workload {
	all = slices.Clone(all)
	for i := range all {
		refs := slices.Clone(all[i].References)
		for k := range refs {
			r := &refs[k]
			r.Findings, r.Producers = t.placed(r.Findings), slices.Clone(r.Producers)
			for n, p := range r.Producers {
				object := p.Kind + " " + p.Name
				if p.Name == "" { // it works on the object itself
					object = r.Kind + " " + r.Name
				}
				r.Producers[n] = p.At(t.At(p.Position(), object))
			}
		}
		all[i].References = refs
	}
	return all
}

// Error returns an error its place, or each of those that are joined in it.
func (t *Trace) Error(err error) error {
	return diag.MapErrors(err, func(one error) error {
		e, ok := one.(*diag.Error) //nolint:errorlint // one that is wrapped has words before it that a copy would lose
		if !ok {
			return one
		}
		placed := *e
		placed.Pos = t.At(e.Pos, e.Object)
		return &placed
	})
}
