package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/wiring"
)

// pluginFlags are what the operator of a plugin says of all renders. What an application may say comes with the call.
type pluginFlags struct {
	settingsFlags
	timeout          time.Duration
	loadRestrictor   string
	allowEmpty       bool
	refuseDuplicates bool
}

// pluginTimeout is shorter than the 60 seconds after which Argo CD kills a plugin, so that the error is ours.
const pluginTimeout = 50 * time.Second

func (f *pluginFlags) add(c *cobra.Command) {
	f.addSettings(c, config.Stamping, config.Fetching)
	c.Flags().DurationVar(&f.timeout, "timeout", pluginTimeout, "time that a render may take; Argo CD itself allows 60s")
	c.Flags().StringVar(&f.loadRestrictor, "load-restrictor", rootOnly, "kustomize: with "+rootNone+", files may lie outside the kustomization's folder")
	c.Flags().BoolVar(&f.allowEmpty, "allow-empty", false, "take renders without any object, though Argo CD then deletes all that is there")
	c.Flags().BoolVar(&f.refuseDuplicates, "refuse-duplicates", false, "refuse renders that hold an object twice, of which Argo CD applies the last")
	offer(c, "load-restrictor", rootOnly, rootNone)
}

func (f *pluginFlags) operator(w *wiring.Wiring) plugin.Operator {
	return plugin.Operator{
		Timeout: f.timeout, LoadRestrictor: f.loadRestrictor, RegistryConfig: w.RegistryConfig(),
		AllowEmpty: f.allowEmpty, RefuseDuplicates: f.refuseDuplicates,
	}
}

// pluginJob prepares a call. Errors are for the Application's condition.
func (p *program) pluginJob(call *argocd.Call, f *pluginFlags) (*plugin.Job, error) {
	j, err := p.preparePlugin(call, f)
	return j, call.Tell(err)
}

func (p *program) preparePlugin(call *argocd.Call, f *pluginFlags) (*plugin.Job, error) {
	if err := oneOf("load-restrictor", f.loadRestrictor, rootOnly, rootNone); err != nil {
		return nil, err
	}
	s, err := p.wiring.SettingsAt(f.flags(), config.Place{Dir: call.Dir, Root: call.Root, Files: call.Files})
	if err != nil {
		return nil, err
	}
	s = call.Reconcile(s)
	stamping, found, err := p.wiring.Stamping(s)
	if err != nil {
		return nil, err
	}
	env := plugin.Environment{Engines: p.wiring.Engines(s), Settings: s, Stamping: stamping, Findings: found}
	return plugin.Prepare(call, env, f.operator(p.wiring))
}
