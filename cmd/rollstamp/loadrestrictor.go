package main

import "github.com/spf13/cobra"

// What --load-restrictor takes, by kustomize's names.
const (
	rootOnly = "LoadRestrictionsRootOnly"
	rootNone = "LoadRestrictionsNone"
)

// addLoadRestrictor declares the flag on c.
func addLoadRestrictor(c *cobra.Command, to *string) {
	wordFlag(c, to, "load-restrictor", rootOnly,
		"kustomize: with "+rootNone+", files may lie outside the kustomization's folder", rootOnly, rootNone)
}
