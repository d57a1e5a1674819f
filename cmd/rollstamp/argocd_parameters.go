package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

func newArgocdParameters(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "parameters",
		Short: "Announce the parameters that the application in the working folder takes",
		Long: `Print what Argo CD's UI shows below PARAMETERS of the application in the working folder: the options of
its kind, each value of a chart's values.yaml with its type, default and description, and the replicas of
a kustomization's workloads. It is the command for parameters.dynamic in the plugin's file.

The answer is always a JSON list, also where a part of the application cannot be read: Argo CD shows
nothing at all where this fails. What is missing is said on standard error.`,
		Example: "  cd charts/web && rollstamp argocd parameters",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runArgocdParameters(c.Context(), p, argocd.Env(config.PluginEnvironment()))
		},
	}
}

func runArgocdParameters(ctx context.Context, p *program, env argocd.Env) error {
	place, err := p.wiring.Disk().Roots.Locate("")
	if err != nil {
		return err
	}
	all, findings := plugin.Announce(ctx, p.wiring, env, place.Dir, "", nil)
	p.warn(diag.Sort(findings))
	return p.emitJSON("parameters", all, compactJSON)
}
