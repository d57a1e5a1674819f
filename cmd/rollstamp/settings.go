package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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

// settingFlag is the flag of a setting, ready to be added to many commands.
type settingFlag struct {
	*config.Row
	kind     config.Kind
	fallback string
	usage    string
	choices  []string
}

// flagsOfSettings returns the flags of the table of settings.
var flagsOfSettings = sync.OnceValue(func() []settingFlag {
	var out []settingFlag
	table := config.Table()
	for i := range table {
		row := &table[i]
		if row.Flag == "" {
			continue
		}
		f := settingFlag{Row: row, kind: row.Kind(), fallback: row.Default(), usage: row.Usage, choices: row.Choices()}
		if f.choices != nil {
			f.usage += ": " + strings.Join(f.choices, ", ")
		}
		out = append(out, f)
	}
	return out
})

// addSettings adds the flags of all settings that classes of commands take, and completes those that take one of a
// few words.
func (s *settingsFlags) addSettings(c *cobra.Command, classes ...config.Commands) {
	for _, f := range flagsOfSettings() {
		if slices.Contains(classes, f.On) {
			s.addSetting(c, &f)
		}
	}
}

// addNamed adds the flags of single settings, by their names.
func (s *settingsFlags) addNamed(c *cobra.Command, flags ...string) {
	for _, f := range flagsOfSettings() {
		if slices.Contains(flags, f.Flag) {
			s.addSetting(c, &f)
		}
	}
}

func (s *settingsFlags) addSetting(c *cobra.Command, f *settingFlag) {
	set := c.Flags()
	switch {
	case f.kind == config.Switch:
		set.BoolP(f.Flag, f.Short, false, f.usage)
	case f.kind == config.List && f.Split:
		set.StringSliceP(f.Flag, f.Short, nil, f.usage)
	case f.kind == config.List:
		set.StringArrayP(f.Flag, f.Short, nil, f.usage)
	default:
		set.StringP(f.Flag, f.Short, f.fallback, f.usage)
	}
	if f.choices != nil {
		offer(c, f.Flag, f.choices...)
	}
	if err := set.SetAnnotation(f.Flag, ofSetting, []string{}); err != nil {
		panic(err) // it was added above
	}
	s.set, s.names = set, append(s.names, f.Flag)
}

// ofSetting marks the flags of settings among those of a command.
const ofSetting = "rollstamp_setting"

// checkSettings returns what is wrong with the settings that the user gave in flags of a command and in the
// environment, before anything is rendered: an application that met it would be blamed for it.
func (p *program) checkSettings(c *cobra.Command) error {
	given, takes := config.Flags{}, false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[ofSetting] == nil || f.Annotations[ineffective] != nil {
			return
		}
		takes = true
		if f.Changed {
			given[f.Name] = values(f)
		}
	})
	if !takes {
		return nil
	}
	var errs []error
	for _, err := range diag.Unjoin(config.Check(given, p.env)) {
		var wrong *diag.Error
		if errors.As(err, &wrong) && wrong.Hint == "" {
			err = &diag.Error{Exit: wrong.Exit, Pos: wrong.Pos, Err: wrong.Err,
				Hint: "'" + c.CommandPath() + " --help' says what a setting takes."}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// flags returns what the user wrote, but for flags without effect.
func (s *settingsFlags) flags() config.Flags {
	out := config.Flags{}
	for _, name := range s.names {
		if f := s.set.Lookup(name); f.Changed && f.Annotations[ineffective] == nil {
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
