package main

import (
	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
)

func newArgocdInit(p *program) *cobra.Command {
	var f pluginFlags
	c := &cobra.Command{
		Use:   "init",
		Short: "Check what Argo CD asks for, without rendering",
		Long: `Check the options of the application in the working folder, and the operator's own. This may stand as
the command init in a plugin's file, with the flags of generate, and can as well be left out: generate
needs nothing of it, and checks the same.`,
		Example: `  rollstamp argocd init`,
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return f.check() },
		RunE: func(*cobra.Command, []string) error {
			call, err := argocd.FromPlugin(config.PluginEnvironment(), ".", "", nil)
			if err != nil {
				return err
			}
			_, err = f.job(p.wiring, call)
			return err
		},
	}
	f.add(c)
	return c
}
