package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// asArgoCD is what --as says of files whose Applications are meant.
const asArgoCD = "argocd"

var kinds = []string{string(render.KindHelm), string(render.KindKustomize), string(render.KindPlain), asArgoCD}

// checkAs finds flags that are for other applications than those that --as names.
func checkAs(as string, set *pflag.FlagSet) error {
	var given []string
	set.Visit(func(f *pflag.Flag) {
		group, _ := groupOf(f)
		if as != asArgoCD && group == groupArgoCD || as == asArgoCD && describes(f, group) {
			given = append(given, "--"+f.Name)
		}
	})
	switch {
	case len(given) == 0:
		return nil
	case as == asArgoCD:
		return diag.Usage(fmt.Errorf("%s: an Application says that itself", strings.Join(given, ", ")),
			"Leave it out, or render the folder by its path.")
	}
	return diag.Usage(errors.New(strings.Join(given, ", ")+": only for --as "+asArgoCD), "")
}

// describes reports whether a flag says of an application what an Application says itself.
func describes(f *pflag.Flag, group config.Group) bool {
	switch group {
	case config.GroupHelm:
		return true
	case config.GroupKustomize:
		return f.Name != "load-restrictor"
	}
	return slices.Contains([]string{"namespace", "recursive", "include", "exclude"}, f.Name)
}
