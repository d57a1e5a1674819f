package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// settingsFlags are the flags that compete with the environment and the configuration file: rows of the table of
// settings.
type settingsFlags struct {
	set   *pflag.FlagSet
	names []string // of those that are settings
}

// addSettings adds the flags of all settings that classes of commands take, and completes those that take one of a
// few words.
func (s *settingsFlags) addSettings(c *cobra.Command, classes ...config.Commands) {
	for _, row := range config.Table() {
		if row.Flag != "" && slices.Contains(classes, row.On) {
			s.addSetting(c, &row)
		}
	}
}

// addNamed adds the flags of single settings, by their names.
func (s *settingsFlags) addNamed(c *cobra.Command, flags ...string) {
	for _, row := range config.Table() {
		if row.Flag != "" && slices.Contains(flags, row.Flag) {
			s.addSetting(c, &row)
		}
	}
}

func (s *settingsFlags) addSetting(c *cobra.Command, row *config.Row) {
	f, usage, choices := c.Flags(), row.Usage, row.Choices()
	if choices != nil {
		usage += ": " + strings.Join(choices, ", ")
	}
	switch kind := row.Kind(); {
	case kind == config.Switch:
		f.BoolP(row.Flag, row.Short, false, usage)
	case kind == config.List && row.Split:
		f.StringSliceP(row.Flag, row.Short, nil, usage)
	case kind == config.List:
		f.StringArrayP(row.Flag, row.Short, nil, usage)
	default:
		f.StringP(row.Flag, row.Short, row.Default(), usage)
	}
	if choices != nil {
		offer(c, row.Flag, choices...)
	}
	s.set, s.names = f, append(s.names, row.Flag)
}

// flags returns what the user wrote.
func (s *settingsFlags) flags() config.Flags {
	out := config.Flags{}
	for _, name := range s.names {
		if f := s.set.Lookup(name); f.Changed {
			out[name] = values(f)
		}
	}
	return out
}

// values returns what a flag holds as text: one value, or those of a list.
func values(f *pflag.Flag) []string {
	if many, ok := f.Value.(pflag.SliceValue); ok {
		return many.GetSlice()
	}
	return []string{f.Value.String()}
}

// oneOf checks a flag that takes one of a few words.
func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return diag.Usage(fmt.Errorf("--%s %q is not one of %s", flag, value, strings.Join(words, ", ")), "")
}

// offer completes a flag that takes one of a few words.
func offer(c *cobra.Command, flag string, words ...string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag is not there: a fault of ours that every run shows
	}
}
