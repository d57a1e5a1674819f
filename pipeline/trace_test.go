package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

func TestAKustomizationIsBuiltAgainOnceAndOnlyForAnUnknownPosition(t *testing.T) {
	text := []byte("kind: A\n---\nkind: B\n")
	var builds []render.KustomizeOptions
	engines := render.Engines{
		render.KindKustomize: engine(func(_ context.Context, req render.Request) (*render.Output, error) {
			builds = append(builds, req.Kustomize)
			return &render.Output{
				Text:    text,
				Origins: []render.Origin{{File: "base/a.yaml"}, {Offset: 12, File: "base/b.yaml", Line: 5}},
			}, nil
		}),
	}
	a := app.New(app.Spec{Kind: render.KindKustomize, Request: &render.Request{Path: "app"}, Engines: engines})
	out := &render.Output{Kind: render.KindKustomize, Text: text}
	trace := pipeline.NewTrace(t.Context(), a, out)

	known := []diag.Finding{diag.New(diag.Skipped, "", "x").At(diag.Position{File: "a.yaml", Line: 3}), diag.New(diag.NoObjects, "", "y")}
	if got := trace.Findings(known); len(got) != 2 || len(builds) != 0 {
		t.Errorf("%v, after %d builds", got, len(builds))
	}
	at := func(n int) diag.Finding { return diag.New(diag.MissingObject, "", "z").At(diag.Position{Line: n}) }
	got := trace.Findings([]diag.Finding{at(3), at(1)})
	if want := []diag.Position{{File: "base/a.yaml", RenderLine: 1}, {File: "base/b.yaml", Line: 5}}; !slices.Equal(positions(got), want) {
		t.Errorf("findings are at %v, want %v", positions(got), want)
	}
	var e *diag.Error
	if err := trace.Error(errors.Join(errors.New("plain"), diag.Input(diag.Position{Line: 3}, errors.New("bad"), ""))); !errors.As(err, &e) || e.Pos.Line != 5 {
		t.Errorf("the error is %v", err)
	}
	if len(builds) != 1 || builds[0].TraceOf != out {
		t.Errorf("built %d times again, %+v", len(builds), builds)
	}
}

// located finds these origins in files.
type located []render.Origin

func (l located) Origins([]byte) []render.Origin { return l }

func TestAKustomizationIsNotBuiltAgainForAPlaceThatItsFilesShow(t *testing.T) {
	var builds []render.KustomizeOptions
	engines := render.Engines{
		render.KindKustomize: engine(func(_ context.Context, req render.Request) (*render.Output, error) {
			builds = append(builds, req.Kustomize)
			traced := *req.Kustomize.TraceOf
			traced.Origins = []render.Origin{{File: "base/a.yaml"}, {Offset: 12, File: "base/b.yaml"}}
			return &traced, nil
		}),
	}
	a := app.New(app.Spec{Kind: render.KindKustomize, Request: &render.Request{Path: "app"}, Engines: engines})
	out := &render.Output{Kind: render.KindKustomize, Text: []byte("kind: A\n---\nkind: B\n"),
		Locator: located{{File: "base/a.yaml"}, {Offset: 12}}}
	trace := pipeline.NewTrace(t.Context(), a, out)
	if got := trace.At(diag.Position{Line: 1}, ""); got != (diag.Position{File: "base/a.yaml", RenderLine: 1}) || len(builds) != 0 {
		t.Errorf("it is at %v, after %d builds", got, len(builds))
	}
	if got := trace.At(diag.Position{Line: 3}, ""); got != (diag.Position{File: "base/b.yaml", RenderLine: 3}) || len(builds) != 1 {
		t.Errorf("it is at %v, after %d builds", got, len(builds))
	}
	if trace.At(diag.Position{Line: 1}, ""); len(builds) != 1 {
		t.Errorf("built %d times again", len(builds))
	}
}

func TestPositionsAreThoseAfterTransforms(t *testing.T) {
	text := []byte("kind: A\n---\nkind: B\n")
	longer := func(_ context.Context, out *render.Output) (*render.Output, error) {
		return out.Edit([]splice.Edit{{Start: 0, End: 8, Text: "kind: A\na: b\nc: d\n"}}, nil), nil
	}
	out := &render.Output{Kind: render.KindKustomize, Text: text, Locator: located{{}, {Offset: 12}}}
	engines := func(transforms ...render.Transform) render.Engines {
		return render.Engines{render.KindKustomize: engine(func(
			ctx context.Context, req render.Request,
		) (*render.Output, error) {
			if req.Kustomize.TraceOf != out {
				t.Error("what is traced is not what the engine rendered")
			}
			traced := *req.Kustomize.TraceOf
			traced.Origins = []render.Origin{{File: "a.yaml"}, {Offset: 12, File: "b.yaml"}}
			for _, transform := range transforms {
				return transform(ctx, &traced)
			}
			return &traced, nil
		})}
	}
	changed, err := longer(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	for name, spec := range map[string]app.Spec{
		"of the application": {Engines: engines(), Transforms: []render.Transform{longer}},
		"of its engine":      {Engines: engines(longer)},
	} {
		spec.Kind = render.KindKustomize
		got := pipeline.NewTrace(t.Context(), app.New(spec), changed).At(diag.Position{Line: 5}, "")
		if got != (diag.Position{File: "b.yaml", RenderLine: 5}) {
			t.Errorf("%s: it is at %v", name, got)
		}
	}
}

func TestWithoutATraceTheLineOfTheRenderIsReported(t *testing.T) {
	engines := render.Engines{render.KindKustomize: engine(func(context.Context, render.Request) (*render.Output, error) {
		return nil, fmt.Errorf("no")
	})}
	a := app.New(app.Spec{Kind: render.KindKustomize, Request: &render.Request{Path: "app"}, Engines: engines})
	trace := pipeline.NewTrace(t.Context(), a, nil)
	if got := trace.At(diag.Position{Line: 3}, "Secret db"); got.String() != "app (line 3 of the render)" {
		t.Errorf("it is at %s", got)
	}
}

func TestPluginsAreNotRunOnceMoreForAPlace(t *testing.T) {
	engines := render.Engines{render.KindKustomize: engine(func(context.Context, render.Request) (*render.Output, error) {
		t.Error("it is built again")
		return nil, errors.New("no")
	})}
	request := render.Request{Path: "app", Kustomize: render.KustomizeOptions{EnableExec: true}}
	a := app.New(app.Spec{Kind: render.KindKustomize, Request: &request, Engines: engines})
	out := &render.Output{Kind: render.KindKustomize, Text: []byte("a: b\n")}
	if got := pipeline.NewTrace(t.Context(), a, out).At(diag.Position{Line: 1}, ""); got.String() != "app (line 1 of the render)" {
		t.Errorf("it is at %s", got)
	}
}

func positions(found []diag.Finding) (out []diag.Position) {
	for _, f := range found {
		out = append(out, f.Position())
	}
	return out
}
