package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/internal/reference"
)

// newCommandTree prints all commands as JSON, from which the manual pages and the command reference are made.
func newCommandTree(p *program) *cobra.Command {
	return &cobra.Command{
		Use:    "__commands",
		Short:  "Print the commands with their flags as JSON",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.emitJSON("commands", commandTree(c.Root()), indentedJSON)
		},
	}
}

func commandTree(c *cobra.Command) reference.Command {
	out := reference.Command{Path: c.CommandPath(), Short: c.Short, Long: c.Long, Example: c.Example}
	if c.Runnable() && c.HasParent() {
		out.Usage = c.UseLine()
	}
	out.Flags = flagsOf(c.LocalFlags(), c.PersistentFlags())
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			out.Commands = append(out.Commands, commandTree(sub))
		}
	}
	return out
}

// flagsOf returns the flags that are not hidden, by groups in the order of help.
func flagsOf(flags, global *pflag.FlagSet) []reference.Flag {
	var out []reference.Flag
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		group, usage := groupOf(f)
		shown := *f
		shown.Usage = usage
		value, usage := pflag.UnquoteUsage(&shown)
		one := reference.Flag{Name: f.Name, Short: f.Shorthand, Value: value, Usage: usage, Group: string(group),
			Setting: settingOf(f), Global: global.Lookup(f.Name) != nil}
		if !slices.Contains([]string{"", "0", "0s", "[]", "false"}, f.DefValue) {
			one.Default = f.DefValue
		}
		out = append(out, one)
	})
	order := helpGroups()
	slices.SortStableFunc(out, func(a, b reference.Flag) int {
		return slices.Index(order, config.Group(a.Group)) - slices.Index(order, config.Group(b.Group))
	})
	return out
}

// settingOf returns the name of the setting that a flag sets, "" for a mere flag.
func settingOf(f *pflag.Flag) string {
	for _, row := range config.Table() {
		if isFlagOf(f, &row) && row.In&config.InFile != 0 {
			return row.Name
		}
	}
	return ""
}
