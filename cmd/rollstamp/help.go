package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// pageWidth is where help is wrapped when nobody's terminal says otherwise.
const pageWidth = 100

// setHelp makes root and the commands below it show their flags in groups.
func (p *program) setHelp(root *cobra.Command) {
	root.SetUsageFunc(func(c *cobra.Command) error {
		writeUsage(c.OutOrStderr(), c, width(p.out))
		return nil
	})
}

// newHelp returns the command that shows the help of those below root.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		Long:  "Show what a command does, its flags and examples of it, as its --help does.",
		Example: `  rollstamp help render
  rollstamp help argocd generate`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (
			names []cobra.Completion, way cobra.ShellCompDirective,
		) {
			if c, err := below(root, args); err == nil {
				for _, sub := range available(c) {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := below(root, args)
			if err != nil {
				return err
			}
			c.InitDefaultHelpFlag() // help lists it
			return c.Help()
		},
	}
}

// below returns the command that names lead to.
func below(c *cobra.Command, names []string) (*cobra.Command, error) {
	for _, name := range names {
		at := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == name })
		if at < 0 {
			return nil, unknownCommand(c, name)
		}
		c = c.Commands()[at]
	}
	return c, nil
}

// subcommand is the check of the arguments of a command that only has others below it.
func subcommand(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	return nil
}

// unknownCommand is the error where c has no command of that name.
func unknownCommand(c *cobra.Command, name string) error {
	var names []string
	for _, sub := range available(c) {
		names = append(names, sub.Name())
	}
	err := fmt.Errorf("unknown command %q for %q%s", name, c.CommandPath(), config.Suggest(name, names))
	if at := slices.IndexFunc(available(c), func(sub *cobra.Command) bool { return hasCommand(sub, name) }); at >= 0 {
		return diag.Usage(err, "Do you mean '"+available(c)[at].CommandPath()+" "+name+"'?")
	}
	return diag.Usage(err, "Try '"+c.CommandPath()+" --help'.")
}

// hasCommand reports whether a command has one of that name directly below it.
func hasCommand(c *cobra.Command, name string) bool {
	return slices.ContainsFunc(available(c), func(sub *cobra.Command) bool { return sub.Name() == name })
}

// withNearestFlag adds the flag that is probably meant to the error about one that a command does not have.
func withNearestFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return fmt.Errorf("%w%s", err, config.Suggest("--"+unknown.GetSpecifiedName(), names))
}

// available returns the commands directly below c that help lists.
func available(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(sub *cobra.Command) bool {
		return !sub.IsAvailableCommand()
	})
}

// width returns how many columns the terminal behind w has.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return pageWidth
}

// writeUsage writes how a command is called: cobra's own text, but for the groups.
func writeUsage(w io.Writer, c *cobra.Command, columns int) {
	fmt.Fprint(w, "Usage:")
	if !c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n  %s", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n  %s [command]", c.CommandPath())
	}
	fmt.Fprintln(w)
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nAvailable Commands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(w, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	writeFlags(w, c.LocalFlags(), columns)
	if c.HasAvailableInheritedFlags() {
		fmt.Fprintf(w, "\nGlobal Flags:\n%s", c.InheritedFlags().FlagUsagesWrapped(columns))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nUse \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
}

// The headings of flags that are no settings.
const (
	groupCompare config.Group = "What it compares"
	groupOther   config.Group = "Other"
)

// writeFlags writes the flags that are not hidden below the headings of their groups. Where there is but one, it is
// called Flags.
func writeFlags(w io.Writer, flags *pflag.FlagSet, columns int) {
	groups := map[config.Group]*pflag.FlagSet{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		group, usage := groupOf(f)
		if groups[group] == nil {
			groups[group] = pflag.NewFlagSet("", pflag.ContinueOnError)
		}
		shown := *f
		shown.Usage = usage
		groups[group].AddFlag(&shown)
	})
	if only := groups[groupOther]; only != nil && len(groups) == 1 {
		fmt.Fprintf(w, "\nFlags:\n%s", only.FlagUsagesWrapped(columns))
		return
	}
	for _, group := range helpGroups() {
		if set := groups[group]; set != nil {
			fmt.Fprintf(w, "\n%s:\n%s", group, set.FlagUsagesWrapped(columns))
		}
	}
}

// helpGroups returns the headings of flags in their order.
func helpGroups() []config.Group {
	out := slices.Concat([]config.Group{groupCompare}, config.Groups())
	for _, e := range config.Engines() {
		out = append(out, config.Group(e.Title))
	}
	return append(out, groupOther)
}

// groupOf returns the group of a flag, and its usage below that heading: the table of settings knows the group of a
// setting, and flags of an engine say so in front of their usage.
func groupOf(f *pflag.Flag) (group config.Group, usage string) {
	for _, row := range config.Table() {
		if isFlagOf(f, &row) {
			return row.Group, f.Usage
		}
	}
	if usage, ok := strings.CutPrefix(f.Usage, "helm: "); ok {
		return config.GroupHelm, usage
	}
	if usage, ok := strings.CutPrefix(f.Usage, "kustomize: "); ok {
		return config.GroupKustomize, usage
	}
	for _, e := range config.Engines() {
		if usage, ok := strings.CutPrefix(f.Usage, e.Title+": "); ok {
			return config.Group(e.Title), usage
		}
	}
	switch f.Name {
	case "from", "to", "against", "twice", "from-file", "to-file", "against-binary", "against-level", "dirs", "as-is":
		return groupCompare, f.Usage
	case "as", "timeout", "shard", "allow-empty", "object", "reencode",
		"isolate":
		return config.GroupRender, f.Usage
	case "no-stamp":
		return config.GroupStamp, f.Usage
	case "output", "output-dir", "plaintext-secrets", "pass", "check", "prune", "findings", "in-place", "exit-zero",
		"severity", "baseline", "write-baseline":
		return config.GroupOutput, f.Usage
	}
	return groupOther, f.Usage
}

// isFlagOf reports whether a flag is the one of a row of the table: another command may have one of that name.
func isFlagOf(f *pflag.Flag, row *config.Row) bool {
	return row.Flag == f.Name && row.Usage != "" && strings.HasPrefix(f.Usage, row.Usage)
}

// withoutEffect marks a flag of c that is taken, because another program's command lines have it, and changes nothing.
func withoutEffect(c *cobra.Command, flag, why string) {
	f := c.Flags().Lookup(flag)
	f.Hidden = true
	f.Annotations = map[string][]string{ineffective: {why}}
}

// ineffective is the annotation of a flag without effect.
const ineffective = "rollstamp_without_effect"

// noteIneffective reports each flag that was given without effect.
func (p *program) noteIneffective(c *cobra.Command) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if why := f.Annotations[ineffective]; why != nil {
			fmt.Fprintf(p.err, "note: --%s has no effect: %s\n", f.Name, why[0])
		}
	})
}
