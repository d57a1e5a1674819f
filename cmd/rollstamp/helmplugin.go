package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
)

// takeHelmNamespace sets --namespace of a command that Helm started as its plugin, where the user gave it: Helm keeps
// such flags for itself and passes the value in a variable, where "default" may also mean that nobody gave one.
func (p *program) takeHelmNamespace(c *cobra.Command) error {
	if name, _ := p.env(config.EnvHelmPlugin); name != "rollstamp" {
		return nil
	}
	namespace, _ := p.env(config.EnvHelmNamespace)
	flag := c.Flags().Lookup("namespace")
	if flag == nil || flag.Hidden || flag.Changed || namespace == "" || namespace == "default" {
		return nil
	}
	if err := c.Flags().Set("namespace", namespace); err != nil {
		return fmt.Errorf("take %s: %w", config.EnvHelmNamespace, err)
	}
	return nil
}
