package main

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/wiring"
)

// applications returns what makes the applications at paths, stamped, by the flags.
func (r *renderFlags) applications(w *wiring.Wiring) wiring.Paths {
	return wiring.Paths{Wiring: w, Flags: r.flags(), RenderOnly: r.noStamp, Options: app.Options{
		Kind: render.Kind(r.as), Helm: r.helm, Kustomize: r.kustomize, Timeout: r.timeout,
	}}
}

// source returns the applications that the user named.
func (r *renderFlags) source(ctx context.Context, p *program, args []string) (app.Source, error) {
	adapt := r.adapter(p)
	if r.as == asArgoCD {
		return adapt(ctx, p.wiring.Disk(), args)
	}
	return &inventory.Source{
		Builder: r.applications(p.wiring), Place: p.wiring.Disk(), Patterns: args,
		Adapters: map[config.AppKind]inventory.Adapter{asArgoCD: adapt},
	}, nil
}

// adapter returns what reads Applications of Argo CD.
func (r *renderFlags) adapter(p *program) inventory.Adapter {
	return func(_ context.Context, at app.Place, paths []string) (app.Source, error) {
		if at.Files != nil {
			return nil, diag.Usage(errors.New("Applications are read from files on disk, not from a revision"), "")
		}
		if len(paths) == 0 {
			paths = []string{"."}
		}
		f := applicationFlags{argoFlags: r.argo, pluginFlags: pluginFlags{settingsFlags: r.settingsFlags,
			timeout: r.timeout, loadRestrictor: r.kustomize.LoadRestrictor}}
		w, err := f.world(p, paths)
		if err != nil {
			return nil, err
		}
		p.atEnd(func() { _ = w.Repositories.Close() }) // they were only read
		objects, errs := readObjects(p, paths)
		create := f.part(p)
		if r.noStamp {
			create = withoutStamps(create)
		}
		return rounds.NewSource(w, create, objects, errs, p.progress()), nil
	}
}
