package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
)

// Trace finds where in the files of an application lies what errors and findings are about. The objects of a
// kustomization do not know their file unless it is built once more; that is done when a position is first asked for
// that nothing else knows.
type Trace struct {
	build func() *render.Places
	built *render.Places
	lines *render.Lines
	path  string
}

// NewTrace returns the positions of a render of an application. Without out, what was rendered is gone, and is rendered
// again where that is needed. It is for one goroutine.
func NewTrace(ctx context.Context, a *app.Application, out *render.Output) *Trace {
	t := &Trace{lines: render.NewLines(a.Request().Files), path: a.Path()}
	t.build = func() *render.Places {
		if stream := a.Stream(); stream != nil {
			return render.NewPlaces(stream.Text, stream.Origins)
		}
		ctx, cancel := limit(ctx, a.Timeout())
		defer cancel()
		traced, err := renderTraced(ctx, a, out)
		if err != nil {
			traced = &render.Output{} // the render is good, and its lines are reported
		}
		return render.NewPlaces(traced.Text, traced.Origins)
	}
	return t
}

// errOnce keeps programs of others from running once more for the sake of a line.
var errOnce = errors.New("plugins run once")

// renderTraced returns a render whose objects know their files.
func renderTraced(ctx context.Context, a *app.Application, out *render.Output) (*render.Output, error) {
	if out != nil && out.Kind != render.KindKustomize {
		return out, nil
	}
	request := a.Request()
	if k := request.Kustomize; k.EnableExec || k.EnableAlphaPlugin {
		return nil, errOnce
	}
	if out != nil {
		a = a.WithKind(out.Kind)
	}
	request.Kustomize.Trace, request.Kustomize.TraceOf = true, out
	return renderApp(ctx, a.WithRequest(request))
}

// At completes the position of what is reported about an object, which may be "".
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

// Findings returns the findings with complete positions, sorted by them.
func (t *Trace) Findings(found []diag.Finding) []diag.Finding {
	return diag.Sort(t.withPositions(found))
}

func (t *Trace) withPositions(found []diag.Finding) []diag.Finding {
	out := make([]diag.Finding, len(found))
	for i, f := range found {
		out[i] = f.At(t.At(f.Position(), f.Object))
	}
	return out
}

// Workloads returns the workloads with complete positions of the findings about their references, and of the producers.
func (t *Trace) Workloads(all []plan.Workload) []plan.Workload {
	all = slices.Clone(all)
	for i := range all {
		refs := slices.Clone(all[i].References)
		for k := range refs {
			r := &refs[k]
			r.Findings, r.Producers = t.withPositions(r.Findings), slices.Clone(r.Producers)
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

// Error returns an error with its complete position, or each of those that are joined in it.
func (t *Trace) Error(err error) error {
	return diag.MapErrors(err, func(one error) error {
		e, ok := one.(*diag.Error) //nolint:errorlint // one that is wrapped has words before it that a copy would lose
		if !ok {
			return one
		}
		located := *e
		located.Pos = t.At(e.Pos, e.Object)
		return &located
	})
}
