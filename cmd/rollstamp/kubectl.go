package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// kubectlName is what users of the plugin of kubectl type.
const kubectlName = "kubectl rollstamp"

// isKubectlPlugin reports whether a program's name is the one by which kubectl starts the plugin.
func isKubectlPlugin(name string) bool {
	return strings.TrimSuffix(filepath.Base(name), ".exe") == "kubectl-rollstamp"
}

// nameForKubectl writes calls in help and usage as users of kubectl type them, and completes as kubectl asks.
func nameForKubectl(p *program, root *cobra.Command) {
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: kubectlName}
	root.CompletionOptions.DisableDefaultCmd = true
	renameCalls(root, root)
	root.AddCommand(newKubectlCompletion(p))
}

// renameCalls writes the name in the texts of c and of the commands below it.
func renameCalls(root, c *cobra.Command) {
	c.Long, c.Example = asKubectl(root, c.Long), asKubectl(root, c.Example)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = asKubectl(root, f.Usage) })
	for _, sub := range c.Commands() {
		renameCalls(root, sub)
	}
}

var commandCall = regexp.MustCompile(`\b(kubectl )?rollstamp ([a-z-]+)`)

// asKubectl returns a text in which calls of the commands of root begin with the plugin's name.
func asKubectl(root *cobra.Command, text string) string {
	return commandCall.ReplaceAllStringFunc(text, func(call string) string {
		name := strings.TrimPrefix(strings.TrimPrefix(call, "kubectl "), "rollstamp ")
		for _, sub := range root.Commands() {
			if sub.Name() == name {
				return kubectlName + " " + name
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
