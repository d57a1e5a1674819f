package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// checkAs finds flags that are for other applications than those that --as names.
func checkAs(as string, set *pflag.FlagSet) error {
	engine, ofEngine := config.EngineOf(config.AppKind(as))
	var described []string
	byGroup := map[config.Group][]string{}
	set.Visit(func(f *pflag.Flag) {
		if f.Annotations[ineffective] != nil { // which is said of it
			return
		}
		group, _ := groupOf(f)
		if byGroup[group] = append(byGroup[group], "--"+f.Name); ofEngine && describes(f, group) {
			described = append(described, "--"+f.Name)
		}
	})
	if len(described) > 0 {
		return diag.Usage(fmt.Errorf("%s: %s says that itself", strings.Join(described, ", "), engine.One),
			"Leave it out, or render the folder by its path.")
	}
	for _, e := range config.Engines() {
		if given := byGroup[config.Group(e.Title)]; e.Name != engine.Name && len(given) > 0 {
			return diag.Usage(fmt.Errorf("%s: only for --as %s", strings.Join(given, ", "), e.Name), "")
		}
	}
	return nil
}

// describes reports whether a flag says of an application what the object of an engine says itself.
func describes(f *pflag.Flag, group config.Group) bool {
	switch group {
	case config.GroupHelm:
		return true
	case config.GroupKustomize:
		return f.Name != "load-restrictor"
	}
	return slices.Contains([]string{"namespace", "recursive", "include", "exclude"}, f.Name)
}
