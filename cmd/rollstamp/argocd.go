package main

import "github.com/spf13/cobra"

func (p *program) argocd() *cobra.Command {
	c := &cobra.Command{
		Use:   "argocd",
		Short: "Render as a plugin of Argo CD, and what belongs to that",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.argocdInstall(), p.argocdLint())
	return c
}
