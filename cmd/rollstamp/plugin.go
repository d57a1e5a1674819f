package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/diag"
)

// host is a program that starts this one as its plugin; "" where nobody does.
type host string

// The hosts: kubectl asks a program of another name for completions, Flux the plugin itself.
const (
	kubectl host = "kubectl"
	flux    host = "flux"
)

// hostOf returns the host that starts the plugin by a program's name.
func hostOf(name string) host {
	name = strings.TrimSuffix(filepath.Base(name), ".exe")
	for _, h := range []host{kubectl, flux} {
		if name == string(h)+"-rollstamp" {
			return h
		}
	}
	return ""
}

// call is what users of the host type.
func (h host) call() string { return string(h) + " rollstamp" }

// rename writes calls in help and usage as users of the host type them, and completes as the host asks.
func (h host) rename(p *program, root *cobra.Command) {
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: h.call()}
	root.CompletionOptions.DisableDefaultCmd = true
	h.renameCalls(root, root)
	switch h {
	case kubectl:
		root.AddCommand(newKubectlCompletion(p))
	case flux:
		root.AddCommand(newFluxCompletion())
	}
}

// renameCalls writes the name in the texts of c and of the commands below it.
func (h host) renameCalls(root, c *cobra.Command) {
	c.Long, c.Example = h.inText(root, c.Long), h.inText(root, c.Example)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = h.inText(root, f.Usage) })
	for _, sub := range c.Commands() {
		h.renameCalls(root, sub)
	}
}

var commandCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b((?:kubectl|flux) )?rollstamp ([a-z-]+)`)
})

// inText returns a text in which calls of the commands of root begin with the plugin's name.
func (h host) inText(root *cobra.Command, text string) string {
	return commandCall().ReplaceAllStringFunc(text, func(call string) string {
		_, name, _ := strings.Cut(call, "rollstamp ")
		for _, sub := range root.Commands() {
			if sub.Name() == name {
				return h.call() + " " + name
			}
		}
		return call
	})
}

// newKubectlCompletion prints the program that kubectl's own completion runs for its plugin.
func newKubectlCompletion(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "completion",
		Short: "Print the program that kubectl's completion runs",
		Long: `Print a program for kubectl's completion. In any shell, kubectl completes what is typed after
kubectl rollstamp by a program of the name kubectl_complete-rollstamp in a folder of PATH.`,
		Example: `  kubectl rollstamp completion > ~/bin/kubectl_complete-rollstamp
  chmod +x ~/bin/kubectl_complete-rollstamp`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return p.emit(bytes.NewBufferString("#!/bin/sh\nexec kubectl rollstamp __complete \"$@\"\n"))
		},
	}
}

// newFluxCompletion leads those who look for the script to Flux's own, which asks its plugins.
func newFluxCompletion() *cobra.Command {
	return &cobra.Command{
		Use:                "completion",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			shell := "bash"
			if len(args) > 0 && slices.Contains([]string{"fish", "powershell", "zsh"}, args[0]) {
				shell = args[0]
			}
			return diag.Usage(errors.New("flux rollstamp has no completion of its own: flux completes it"),
				"Load that of flux: 'flux completion "+shell+"' prints it.")
		},
	}
}
