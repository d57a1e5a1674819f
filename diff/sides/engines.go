package sides

import (
	"context"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// Engines compares what another version of an engine renders of the same files with what that of this renderer does.
// The labels name the two.
func (r Renderer) Engines(
	ctx context.Context, at app.Place, patterns []string, before Renderer, labels [2]string,
) (*diff.Comparison, error) {
	lists := [2]*inventory.Source{before.list(at, patterns), r.list(at, patterns)}
	for _, list := range lists {
		list.Absent = false // what is not there is there on neither side
	}
	names, err := lists[1].Names(ctx)
	if err != nil {
		return nil, err
	}
	names = r.Shard.Select(names)
	sides := [2]diff.Side{{Label: labels[0]}, {Label: labels[1], Naming: lists[1].Naming}}
	for i := range sides {
		sides[i].Apps = make([]*diff.App, len(names))
	}
	errs := fleet.Each(ctx, len(names), func(ctx context.Context, i int) error {
		for side, list := range lists {
			done := renderNamed(ctx, list, names[i])
			if sides[side].Apps[i] = &done.App; side == 1 && done.from != nil && r.Rendered != nil {
				r.Rendered(done.from)
			}
			if r.As == "" {
				refuseDescribed(sides[side].Apps[i])
			}
		}
		return ctx.Err()
	}, r.Progress)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return diff.Compare(sides[0], sides[1])
}

// refuseDescribed has an application fail whose files are objects of an engine: what these render was not looked at.
func refuseDescribed(a *diff.App) {
	if a.Err != nil {
		return
	}
	result, err := a.Render.Result()
	if err != nil || result.Output.Kind != render.KindPlain {
		return
	}
	for d, err := range manifest.Documents(result.Output.Text, a.Name) {
		if err != nil {
			return // it is compared as it is
		}
		for o := range d.Objects() {
			as := describedFor(o)
			if as == "" {
				continue
			}
			a.Err = diag.Input(diag.Position{File: a.Name},
				fmt.Errorf("%s is compared as an object, and what it renders is not", o),
				"Pass --as "+as+" to compare what it renders.")
			a.Render = nil
			return
		}
	}
}

// describedFor returns the engine that an object says for what it renders; "" where it is another object.
func describedFor(o manifest.Object) string {
	switch {
	case o.Group() == "argoproj.io" && (o.Kind == "Application" || o.Kind == "ApplicationSet"):
		return "argocd"
	case o.Group() == "helm.toolkit.fluxcd.io", o.Group() == "kustomize.toolkit.fluxcd.io":
		return "flux"
	}
	return ""
}
