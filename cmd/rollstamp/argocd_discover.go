package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

func newArgocdDiscover(p *program) *cobra.Command {
	var anything bool
	c := &cobra.Command{
		Use:   "discover",
		Short: "Report whether the working folder is an application of ours",
		Long: `Print the file that says that the application in the working folder is to be rendered by rollstamp, the
nearest ` + config.FileName + ` in its repository; nothing where there is none. This is what a plugin's file names as
its command discover.

Argo CD asks every plugin that discovers about every application, and sends the whole repository each
time. A plugin that Applications name needs no discovery.`,
		Example: `  rollstamp argocd discover
  rollstamp argocd discover --any`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runDiscover(p, anything) },
	}
	c.Flags().BoolVar(&anything, "any", false, "take every application, and print what it is: helm, kustomize or plain")
	return c
}

func runDiscover(p *program, anything bool) error {
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return diag.Input(diag.Position{}, fmt.Errorf("find the working folder: %w", err), "")
	}
	root := argocd.Root(dir, config.PluginEnvironment()["ARGOCD_APP_SOURCE_PATH"], nil)
	found := argocd.Discover(nil, dir, root)
	if anything {
		kind, err := argocd.Detect(nil, dir)
		if err != nil {
			return err
		}
		found = string(kind)
	}
	if found != "" {
		_, err = fmt.Fprintln(p.out, found)
	}
	return err
}
