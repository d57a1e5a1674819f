package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// Trace finds where in the files of an application lies what errors and findings are about. The objects of a
// kustomization do not know their file: it is looked up in the files, and where that leaves a doubt, the kustomization
// is built once more. Both are done when a position is first asked for that nothing else knows.
type Trace struct {
	ctx    context.Context
	app    *app.Application
	output *render.Output
	places *render.Places // of the output; nil until they are asked for
	exact  bool           // nothing knows more places
	failed bool           // what knows them could not be rendered
	lines  *render.Lines
}

// NewTrace returns the positions of a render of an application. Without out, what was rendered is gone, and is rendered
// again where that is needed. It is for one goroutine.
func NewTrace(ctx context.Context, a *app.Application, out *render.Output) *Trace {
	if out == nil {
		out = a.Stream()
	}
	return &Trace{ctx: ctx, app: a, output: out, lines: render.NewLines(a.Request().Files)}
}

// IsStable reports whether the positions are those that another run finds: nothing that knows them failed, perhaps for
// want of time.
func (t *Trace) IsStable() bool { return !t.failed }

// errOnce keeps programs of others from running once more for the sake of a line.
var errOnce = errors.New("plugins run once")

// At completes the position of what is reported about an object, which may be "".
func (t *Trace) At(pos diag.Position, object string) diag.Position {
	if pos.OfRender() {
		line := pos.Line
		if pos = t.line(line); pos.File == "" {
			pos = diag.Position{File: t.app.Path(), RenderLine: line}
		}
	}
	return t.lines.Complete(pos, object)
}

// inObject returns a position as app.Origin.InFiles does.
func (t *Trace) inObject(pos diag.Position) (at diag.Position, place string) {
	at, inChart := t.app.Origin().InFiles(t.app.Path(), pos)
	if inChart != (diag.Position{}) {
		place = "in its chart, " + inChart.String()
	}
	return at, place
}

// line returns what a line of the render comes from, without File where that cannot be known.
func (t *Trace) line(n int) diag.Position {
	if t.places == nil {
		t.look()
	}
	pos := t.places.Line(n)
	if pos.File == "" && !t.exact {
		t.build()
		pos = t.places.Line(n)
	}
	return pos
}

// look takes what the output knows of its origins, or what its files say of them.
func (t *Trace) look() {
	if t.output == nil {
		out, err := t.render(t.app.Request())
		if err == nil {
			out, err = withOwnTransforms(t.ctx, t.app, out)
		}
		if err == nil && changesAdditions(t.app, out) {
			if out, err = withContext(t.ctx, t.app, out); err == nil {
				out, err = withAdditions(t.ctx, t.app, out)
			}
		}
		if err != nil {
			out = &render.Output{} // the render is good, and its lines are reported
		}
		t.output = out
	}
	origins := t.output.Origins
	t.exact = t.app.Stream() != nil || t.output.Kind != render.KindKustomize || len(origins) > 0
	if !t.exact && t.output.Locator != nil {
		origins = t.output.Locator.Origins(t.output.Text)
	}
	t.places = render.NewPlaces(t.output.Text, origins)
}

// build renders the application so that its objects know their files.
func (t *Trace) build() {
	t.exact = true
	request := t.app.Request()
	request.Kustomize.TraceOf = t.output.Rendered()
	traced, err := t.render(request)
	if err != nil {
		t.failed = true
		return
	}
	if traced.Rendered() == traced { // else the engine applies the transforms itself
		traced = t.output.WithOrigins(traced.Origins)
	}
	t.places = render.NewPlaces(t.output.Text, traced.Origins)
}

func (t *Trace) render(request render.Request) (*render.Output, error) {
	if k := request.Kustomize; k.EnableExec || k.EnableAlphaPlugin {
		return nil, errOnce
	}
	a := t.app.WithRequest(request)
	if t.output != nil {
		a = a.WithKind(t.output.Kind)
	}
	ctx, cancel := limit(t.ctx, t.app.Timeout())
	defer cancel()
	return renderApp(ctx, a)
}

// Findings returns the findings with complete positions, sorted by them.
func (t *Trace) Findings(found []diag.Finding) []diag.Finding {
	return redact.Copy(t.secrets(), diag.Sort(t.withPositions(found)), positions...)
}

func (t *Trace) withPositions(found []diag.Finding) []diag.Finding {
	out := make([]diag.Finding, len(found))
	for i, f := range found {
		if f.Code == diag.NoObjects && f.File == "" && t.app.Stream() == nil {
			f = f.At(diag.Position{File: t.app.Path()}) // it is about no object that has a place
		}
		pos, place := t.inObject(t.At(f.Position(), f.Object))
		if out[i] = f.At(pos); place != "" {
			out[i].Message = place + ": " + f.Message
		}
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
				pos, _ := t.inObject(t.At(p.Position(), object))
				r.Producers[n] = p.At(pos)
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
		pos, place := t.inObject(t.At(e.Pos, e.Object))
		if located.Pos = pos; place != "" {
			located.Err = fmt.Errorf("%s: %w", place, e.Err)
		}
		return diag.RewriteError(&located, t.secrets().In)
	})
}

// secrets returns the values that nothing shows; none where the render is gone.
func (t *Trace) secrets() *redact.Values {
	if t.output == nil {
		return nil
	}
	return t.output.AllSecrets()
}
