// Package kustomize renders a kustomization in-process, byte for byte as kustomize build prints it.
package kustomize

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/render"
)

// Engine renders kustomizations. It is safe for concurrent use, and its zero value renders all that need no chart.
type Engine struct {
	// Charts renders the charts that kustomizations name. Nil means that a kustomization with charts is refused.
	Charts render.Inflater
	// Way is what builds kustomizations; "" is the native way.
	Way config.KustomizeEngine
}

// Render builds the kustomization in the folder req.Path. Every failure is a *diag.Error; when ctx ends, so does the
// build.
func (e Engine) Render(ctx context.Context, req render.Request) (*render.Output, error) {
	ctx = req.Allow.Hosts.Within(ctx)
	b, err := newBuilder(e.Way, req)
	if err != nil {
		return nil, err
	}
	// kustomize knows no context: between two reads of files, which check it, it may compute for minutes. The goroutine
	// that is left behind ends with its next read. Its own panics are caught where it is called.
	out, finished, err := fault.RunDetached(ctx, diag.Position{File: req.Path},
		func() (*render.Output, error) { return e.render(ctx, req, b) })
	if !finished {
		return nil, stopError(ctx, req.Path)
	}
	return out, err
}

func (e Engine) render(ctx context.Context, req render.Request, b builder) (*render.Output, error) {
	if have := req.Kustomize.TraceOf; have != nil {
		return e.withOrigins(ctx, req, b, have), nil
	}
	t, err := newTree(ctx, req)
	if err != nil {
		return nil, err
	}
	f := newFetcher(t)
	defer f.close()
	if err := t.prepare(); err != nil {
		return nil, err
	}
	p, err := readPlan(t, f)
	if err != nil {
		return nil, err
	}
	if err := p.refuseCharts(req.Kustomize.Overlay); err != nil {
		return nil, err
	}
	one := build{builder: b, tree: t, plan: p, charts: inflater{e.Charts, t, f, failures{t, p.read}, req.Once}}
	first, err := one.run()
	if err != nil {
		return nil, err
	}
	var second []byte
	if first.random {
		one.charts.once = true
		again, err := one.run()
		if err != nil {
			return nil, err
		}
		second = again.text
	}
	out := &render.Output{
		Kind:         render.KindKustomize,
		Locator:      locatorOf(req, p, first),
		Why:          whyKustomization(t, p, first),
		Text:         first.text,
		SecondRender: second,
		Namespace:    req.Namespace,
		Inputs:       t.inputs(),
		Findings:     append(outdatedIn(first.read), p.unusedVariables(first.unused)...),
	}
	return out, nil
}

// whyKustomization returns why a folder is rendered as a kustomization.
func whyKustomization(t *tree, p *plan, b built) string {
	how := ""
	if b.declined != "" {
		how = "; it is built by kustomize's library because of " + b.declined
	}
	if t.edited != nil && t.edited.generated {
		return t.req.Path + " holds manifests without a kustomization, for which Flux generates one" + how
	}
	return t.req.Path + " holds " + p.root.name + how
}

// locatorOf returns what finds the files of the objects of a build.
func locatorOf(req render.Request, p *plan, b built) render.Locator {
	if b.objects != nil {
		return madeLocator{req.Path, b.objects}
	}
	return locator{readFiles{req.Path, files.OrDisk(req.Files), p.root, p.read, b.charted}}
}

// withOrigins returns an output whose objects know their files. Where the files themselves do not say that of all of
// them, the kustomization is built once more.
func (e Engine) withOrigins(ctx context.Context, req render.Request, b builder, have *render.Output) *render.Output {
	out := *have
	out.Inputs = slices.Clone(have.Inputs)
	if have.Locator != nil {
		out.Origins = have.Locator.Origins(have.Text)
	}
	if have.Locator == nil || slices.ContainsFunc(out.Origins, func(o render.Origin) bool { return o.File == "" }) {
		if built := trace(ctx, req, b, e.Charts, have.Text); built != nil {
			out.Origins = built
		}
	}
	return &out
}
