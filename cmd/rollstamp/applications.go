package main

import (
	"context"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/wiring"
	"github.com/rollstamp/rollstamp/workspace"
)

// applications returns what makes the applications at paths, stamped, by the flags.
func (r *renderFlags) applications(w *wiring.Wiring) wiring.Paths {
	return wiring.Paths{Wiring: w, Flags: r.flags(), RenderOnly: r.noStamp, Options: app.Options{
		Kind: render.Kind(r.as), Helm: r.helm, Kustomize: r.kustomize, Timeout: r.timeout,
	}}
}

// source returns the applications that the user named.
func (r *renderFlags) source(ctx context.Context, p *program, args []string) (app.Source, error) {
	adapters := r.adapters(p, rounds.Options{})
	if r.as == asArgoCD {
		return adapters[asArgoCD](ctx, p.wiring.Disk(), args)
	}
	return &inventory.Source{
		Builder: r.applications(p.wiring), Place: p.wiring.Disk(), Patterns: args, Adapters: adapters,
	}, nil
}

// adapters returns what reads the objects of engines, with options for where their files are.
func (r *renderFlags) adapters(p *program, o rounds.Options) map[config.AppKind]inventory.Adapter {
	return map[config.AppKind]inventory.Adapter{asArgoCD: r.adapter(p, o)}
}

// adapter returns what reads Applications of Argo CD.
func (r *renderFlags) adapter(p *program, o rounds.Options) inventory.Adapter {
	return func(_ context.Context, at app.Place, paths []string) (app.Described, error) {
		if len(paths) == 0 {
			paths = []string{"."}
		}
		f := applicationFlags{argoFlags: r.argo, pluginFlags: pluginFlags{settingsFlags: r.settingsFlags,
			timeout: r.timeout, loadRestrictor: r.kustomize.LoadRestrictor}}
		in := o
		if in.Instead = checkoutOf(at); f.revisions {
			in.Version = workspace.Committed
		}
		w, err := f.worldOf(p, paths, in)
		if err != nil {
			return nil, err
		}
		p.atEnd(func() { _ = w.Repositories.Close() }) // they were only read
		objects, errs := readObjects(p, at.Files, paths)
		create := f.part(p)
		if r.noStamp {
			create = withoutStamps(create)
		}
		return rounds.NewSource(w, create, objects, errs, p.progress()), nil
	}
}

// checkoutOf returns the files of a place that is a revision, as those of its repository; nil for the disk.
func checkoutOf(at app.Place) *workspace.Checkout {
	mount, ok := at.Files.(files.Mount)
	if !ok {
		return nil
	}
	out := &workspace.Checkout{Root: mount.At, Files: mount}
	if tree, ok := mount.Tree.(*git.Tree); ok {
		out.Revision = tree.Commit
	}
	return out
}
