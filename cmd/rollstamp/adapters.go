package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
)

// adapters returns the adapters for one command, by the names of their engines in the table of config.
func adapters() map[config.AppKind]adapter {
	return map[config.AppKind]adapter{
		"argocd": new(argoFlags),
		"flux":   new(fluxFlags),
	}
}

// declareAdapters adds the flags of each adapter, with the name of its engine in front of their usage.
func declareAdapters(c *cobra.Command, all map[config.AppKind]adapter) {
	for _, e := range config.Engines() {
		own := pflag.NewFlagSet("", pflag.ContinueOnError)
		all[e.Name].declare(own)
		own.VisitAll(func(f *pflag.Flag) {
			f.Usage = e.Title + ": " + f.Usage
			c.Flags().AddFlag(f)
		})
	}
}

// engineUsage is what help says of --as for the engines.
func engineUsage() string {
	var all []string
	for _, e := range config.Engines() {
		all = append(all, string(e.Name)+" for the "+e.Found+" in it")
	}
	return strings.Join(all, ", or ")
}
