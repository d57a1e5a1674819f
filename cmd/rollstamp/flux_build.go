package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
)

func newFluxBuild(p *program) *cobra.Command {
	var r renderCommand
	c := &cobra.Command{
		Use:   "build [PATH...]",
		Short: "Render what Flux applies for Kustomizations and HelmReleases, stamped",
		Long: `Render the Kustomizations and HelmReleases in each PATH (by default the working folder), and those that
are found in what they render, as kustomize-controller and helm-controller do; it is rollstamp render
with --as flux. PATH is a file, a folder such as clusters/production, or - for standard input. Nothing
is asked of a cluster, and nothing is written to a source.

spec.path starts at the top of the repository that PATH lies in, or at --source-root. That is the source
of each GitRepository named flux-system, and of those whose address is one of the repository's; the
files of others are passed with --source. Variables and values come from the ConfigMaps and Secrets
that the Kustomizations apply, from context: in the configuration, and from --vars.

Each Kustomization and each HelmRelease is an application, named NAMESPACE/NAME, with the kind in front
where both kinds have one of that name. Standard output is one stream, in the order of dependsOn, or
nothing if one of them failed; with --output-dir each goes to a file of its own, DIR/NAMESPACE/NAME.yaml,
and one that fails does not stop the others.`,
		Example: `  rollstamp flux build clusters/production
  rollstamp flux build clusters/production --output-dir rendered --check
  rollstamp flux build clusters/production --source OCIRepository/flux-system/apps=../apps --vars live.env`,
	}
	r.declare(c)
	hideSaid(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		r.as = "flux"
		return r.run(c.Context(), p, args)
	}
	return c
}

// hideSaid hides the flags that a command which is only about Flux's objects refuses.
func hideSaid(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden || f.Name == "as" || saysObject(f) })
}

// saysObject reports whether a flag says what an object of Flux says itself, or belongs to another engine.
func saysObject(f *pflag.Flag) bool {
	group, _ := groupOf(f)
	return describes(f, group) || slices.ContainsFunc(config.Engines(), func(e config.Engine) bool {
		return e.Name != "flux" && group == config.Group(e.Title)
	})
}
