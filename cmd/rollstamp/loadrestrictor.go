package main

import "github.com/spf13/cobra"

// What --load-restrictor takes, by kustomize's names.
const (
	rootOnly = "LoadRestrictionsRootOnly"
	rootNone = "LoadRestrictionsNone"
)

// addLoadRestrictor declares the flag on c.
func addLoadRestrictor(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "load-restrictor", rootOnly,
		"kustomize: with "+rootNone+", files may lie outside the kustomization's folder")
	offer(c, "load-restrictor", rootOnly, rootNone)
}

// checkLoadRestrictor refuses other values of the flag.
func checkLoadRestrictor(value string) error {
	return oneOf("load-restrictor", value, rootOnly, rootNone)
}
