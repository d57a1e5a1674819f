package main

import (
	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/wiring"
)

// applications returns what makes the applications at paths, stamped, by the flags.
func (r *renderFlags) applications(w *wiring.Wiring) wiring.Paths {
	return wiring.Paths{Wiring: w, Flags: r.flags(), Options: app.Options{
		Kind: render.Kind(r.as), Helm: r.helm, Kustomize: r.kustomize, Timeout: r.timeout,
	}}
}

// source returns the applications that the user named.
func (r *renderFlags) source(w *wiring.Wiring, args []string) fleet.Paths {
	return fleet.Paths{Builder: r.applications(w), Place: w.Disk(), Patterns: args}
}
