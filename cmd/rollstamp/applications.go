package main

import (
	"context"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/wiring"
	"github.com/rollstamp/rollstamp/workspace"
)

// applications returns what makes the applications at paths, stamped, by the flags.
func (r *renderFlags) applications(w *wiring.Wiring) wiring.Paths {
	return wiring.Paths{Wiring: w, Flags: r.flags(), RenderOnly: r.noStamp, Resolved: r.resolved, Options: app.Options{
		Kind: render.Kind(r.as), Helm: r.helm, Kustomize: r.kustomize, Timeout: r.timeout,
	}}
}

// source returns the applications that the user named.
func (r *renderFlags) source(ctx context.Context, p *program, args []string) (app.Source, error) {
	readers := r.readers(p, workspace.WorkTree, "")
	if e, ok := r.engine(); ok {
		paths, err := inventory.Expand(p.wiring.Disk().Files, args)
		if err != nil {
			return nil, err
		}
		return readers[e.Name](ctx, p.wiring.Disk(), paths)
	}
	return &inventory.Source{
		Builder: r.applications(p.wiring), Place: p.wiring.Disk(), Patterns: args, Adapters: readers,
	}, nil
}

// engine returns the engine whose objects --as says are meant, if any.
func (r *renderFlags) engine() (config.Engine, bool) { return config.EngineOf(config.AppKind(r.as)) }

// readers returns what reads the objects of engines. Version is that of repositories on this machine, and base the
// revision that they are compared with, if any.
func (r *renderFlags) readers(
	p *program, version workspace.Version, base string,
) map[config.AppKind]inventory.Adapter {
	run := r.objectRun(version, base)
	out := map[config.AppKind]inventory.Adapter{}
	for name, one := range r.adapters {
		out[name] = one.reader(p, run)
	}
	return out
}

// objectRun returns what the flags want of what objects describe.
func (r *renderFlags) objectRun(version workspace.Version, base string) objectRun {
	return objectRun{settingsFlags: r.settingsFlags, timeout: r.timeout, loadRestrictor: r.kustomize.LoadRestrictor,
		noStamp: r.noStamp, asksAgain: r.asksAgain, version: version, base: base}
}
