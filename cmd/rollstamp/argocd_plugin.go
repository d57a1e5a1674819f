package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/wiring"
)

// pluginFlags are what the operator of a plugin sets for all renders. What an application may set comes with the call.
type pluginFlags struct {
	settingsFlags
	timeout          time.Duration
	loadRestrictor   string
	allowEmpty       bool
	refuseDuplicates bool
	asksAgain        func(name string) bool // see plugin.Operator
}

// pluginTimeout is shorter than the 60 seconds after which Argo CD kills a plugin, so that the error is ours.
const pluginTimeout = 50 * time.Second

func (f *pluginFlags) add(c *cobra.Command) {
	f.addSettings(c, config.Stamping, config.Fetching)
	durationFlag(c.Flags(), &f.timeout, "timeout", pluginTimeout,
		"time that a render may take; Argo CD itself allows 60s")
	addLoadRestrictor(c, &f.loadRestrictor)
	c.Flags().BoolVar(&f.allowEmpty, "allow-empty", false,
		"take renders without any object, though Argo CD then deletes all that is there")
	c.Flags().BoolVar(&f.refuseDuplicates, "refuse-duplicates", false,
		"refuse renders that hold an object twice, of which Argo CD applies the last")
}

// check finds what no render can be made with.
func (f *pluginFlags) check() error {
	if f.timeout <= 0 {
		return diag.Usage(errors.New("--timeout: want more than 0"), "")
	}
	return nil
}

// preparer makes the jobs of calls, by the operator's flags.
func (f *pluginFlags) preparer(w *wiring.Wiring) plugin.Preparer {
	return plugin.Preparer{Wiring: w, Flags: f.flags(), Operator: plugin.Operator{
		Timeout: f.timeout, LoadRestrictor: f.loadRestrictor, RegistryConfig: w.RegistryConfig(),
		AllowEmpty: f.allowEmpty, RefuseDuplicates: f.refuseDuplicates, AsksAgain: f.asksAgain,
	}}
}

// job prepares one call. Errors are for the Application's condition.
func (f *pluginFlags) job(w *wiring.Wiring, call *argocd.Call) (*plugin.Job, error) {
	j, err := f.preparer(w).Job(call)
	return j, call.Condition(err)
}

// answer returns what answers calls as the plugin does, but for its limit of time.
func (f *pluginFlags) answer(w *wiring.Wiring) func(context.Context, *argocd.Call) (*pipeline.Result, error) {
	return func(ctx context.Context, call *argocd.Call) (*pipeline.Result, error) {
		j, err := f.job(w, call)
		if err != nil {
			return nil, err
		}
		a, err := j.Answer(ctx)
		if err != nil {
			return nil, err
		}
		return a.Result, nil
	}
}

// pluginDefault is what Applications call the plugin by default.
const pluginDefault = "rollstamp"
