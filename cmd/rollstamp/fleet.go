package main

import "github.com/spf13/cobra"

func newFleet(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "fleet",
		Short: "Divide one run over many machines",
		Long: `Divide one run over many machines, where one is not enough: job prints a Kubernetes Job whose pods do a
part each, and part is what a pod runs, or a job of CI.`,
		Example: `  rollstamp fleet job --shards 20 --image registry.example/rollstamp:1.0.0 \
    --source repository --results results 'apps/*'`,
		Args: subcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newFleetJob(p), newFleetPart(p))
	return c
}
