package apps

import (
	"context"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/workspace"
)

// PluginCall is what the plugin is asked for by one source.
type PluginCall struct {
	Source    int          // its place among those that are rendered, from 0
	Call      *argocd.Call // nil where its files are elsewhere
	Err       error        // with which the plugin refuses it; nil if it does not
	Elsewhere error        // why its files cannot be had here
}

// PluginCalls returns the calls of those sources that rollstamp renders under one of its names. What its option refs
// names may be elsewhere: such a call is not looked into.
func (a *Application) PluginCalls(ctx context.Context, in *Instance) (out []PluginCall) {
	for i, s := range a.sources() {
		p := part{a: a, in: in, s: &s}
		if s.Plugin == nil || !s.isRendered() || !p.ours(s.Plugin.Name) {
			continue
		}
		var err error
		if p.tree, err = in.checkout(ctx, &s); err != nil {
			out = append(out, PluginCall{Source: i, Elsewhere: err})
			continue
		}
		made, err := p.make()
		if err == nil && !made.Call.Remote() {
			_, _, err = made.Call.Request()
			err = made.Call.Condition(err)
		}
		out = append(out, PluginCall{Source: i, Call: made.Call, Err: err})
	}
	return out
}

// NativeCalls returns what those sources are that Argo CD renders itself and whose files are on this machine, with the
// error by which it refuses them as far as that is seen without a render.
func (a *Application) NativeCalls(ctx context.Context, in *Instance) (out []PluginCall) {
	sources := a.sources()
	refs := map[string]*workspace.Checkout{}
	for i := range sources {
		if sources[i].Ref == "" || !a.many() {
			continue
		}
		tree, err := in.checkout(ctx, &sources[i])
		if err != nil {
			return nil // what the others read is not known
		}
		refs[sources[i].Ref] = tree
	}
	for i := range sources {
		p := part{a: a, in: in, s: &sources[i], refs: refs}
		if p.s.Plugin != nil || !p.s.isRendered() || p.s.Chart != "" {
			continue
		}
		var err error
		if p.tree, err = in.checkout(ctx, p.s); err != nil || p.tree.Assumed {
			continue
		}
		made, err := p.make()
		if made.Plugin {
			continue // a file of the folder says so
		}
		if err == nil {
			err = made.Call.CheckFolder()
		}
		if err == nil {
			err = made.Call.CheckValues()
		}
		if made.Call != nil {
			err = made.Call.Condition(err)
		}
		out = append(out, PluginCall{Source: i, Call: made.Call, Err: err})
	}
	return out
}
