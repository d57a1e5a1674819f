package main

import "github.com/spf13/cobra"

func newArgocd(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "argocd",
		Short: "Render as a plugin of Argo CD, and what belongs to that",
		Long: `Be a config management plugin of Argo CD that loses nothing of what Argo CD renders natively: the
options of spec.source.helm, kustomize and directory by the same names, as parameters of the plugin.

generate, discover, parameters and init are what a plugin's file names; Argo CD says in the
environment what they are to do. The other commands put the plugin in place, and look at Applications.`,
		Example: `  rollstamp argocd generate
  ARGOCD_APP_NAME=web ARGOCD_APP_NAMESPACE=shop rollstamp argocd generate
  rollstamp argocd install --image registry.example/rollstamp:1.0.0`,
		Args: subcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	p.grow(c, []branch{
		{"generate", newArgocdGenerate}, {"discover", newArgocdDiscover}, {"parameters", newArgocdParameters},
		{"init", newArgocdInit}, {"serve", newArgocdServe}, {"install", newArgocdInstall}, {"lint", newArgocdLint},
		{"paths", newArgocdPaths}, {"render", newArgocdRender}, {"convert", newArgocdConvert},
	})
	return c
}
