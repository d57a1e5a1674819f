package main

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/internal/contain"
)

func newArgocdGenerate(p *program) *cobra.Command {
	var f pluginFlags
	c := &cobra.Command{
		Use:   "generate",
		Short: "Render the working folder as Argo CD asks for it",
		Long: `Render the application in the working folder and print its manifests, stamped. This is what a
plugin's file names as its command generate.

What to render, and how, comes from the variables that Argo CD sets: ARGOCD_APP_*, KUBE_VERSION,
KUBE_API_VERSIONS, and the options in ARGOCD_APP_PARAMETERS. The configuration file of the
application may hold options too, under argocd. Permissions come from flags, the environment and the
operator's policy file alone.

All of the manifests are printed, or nothing: a render without objects, an object without a kind and
more than Argo CD takes are errors.

The hash domain is argocd:PROJECT, so that no project can compare digests of Secrets with another's;
another renderer finds the same digests with --hash-domain.`,
		Example: `  rollstamp argocd generate
  rollstamp argocd generate --allow network --timeout 80s
  ARGOCD_APP_NAME=web ARGOCD_APP_PARAMETERS='[{"name":"skipCrds","string":"true"}]' rollstamp argocd generate`,
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return f.check() },
		RunE:    func(c *cobra.Command, _ []string) error { return runGenerate(c.Context(), p, &f) },
	}
	f.add(c)
	return c
}

func runGenerate(ctx context.Context, p *program, f *pluginFlags) error {
	var logged bytes.Buffer
	defer hold(&logged)()

	call, err := argocd.FromPlugin(config.PluginEnvironment(), ".", "", nil)
	if err != nil {
		return err
	}
	w := p.wiring.WithStdin(strings.NewReader("")) // Argo CD's is empty; nothing waits for one that is not
	j, err := f.job(w, call)
	if err != nil {
		return err
	}
	ctx = contain.Spelled(contain.Named(ctx, cmp.Or(call.AppName, call.Plain(call.Dir)), ""), call.Plain)
	a, err := j.Answer(ctx)
	if err != nil {
		return err
	}
	_, _ = logged.WriteTo(p.err) // where standard error is closed, there is nobody to report to
	p.report(ctx, []fleet.Outcome{outcomeOf(call, a)})
	return p.emit(a.Result)
}

// outcomeOf returns the outcome of an answer: nothing of it fails the run.
func outcomeOf(call *argocd.Call, a *plugin.Answer) fleet.Outcome {
	return fleet.Outcome{
		Name: call.Plain(call.Dir), Why: fleet.Why(a.Result.Output), Findings: a.Findings, Result: a.Result,
	}
}
