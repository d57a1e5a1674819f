package main

import "github.com/spf13/cobra"

func newFlux(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "flux",
		Short: "Bring stamps to a cluster that Flux applies",
		Long: `Bring stamps to a cluster that Flux applies. Its controllers run no program of others, so that a digest
gets there in one of three ways: as a patch in Flux's own objects, in an artifact that CI publishes, or
in manifests that CI renders into a branch.`,
		Example: `  rollstamp flux stamp clusters/production
  rollstamp flux push oci://ghcr.io/example/shop apps/shop`,
		Args: subcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	p.grow(c, []branch{{"build", newFluxBuild}, {"stamp", newFluxStamp}, {"push", newFluxPush}})
	return c
}
