package compat

import (
	"maps"
	"slices"
	"strings"
)

// EffectiveReloaderArgs returns those arguments of Reloader's container that change what it restarts or how its
// annotations are called, each as --name=value.
func EffectiveReloaderArgs(args []string) (out []string) {
	for len(args) > 0 {
		var one argument
		one, args = cutArgument(args)
		if !one.isFlag() {
			continue
		}
		name := one.name
		value := strings.Trim(one.value, `"`) // its chart writes them around a selector, and Reloader takes them away
		switch _, known := reloaderFlags[name]; {
		case !known:
		case one.isSet:
			out = append(out, "--"+name+"="+value)
		default:
			out = append(out, "--"+name)
		}
	}
	return out
}

// ReloaderAnnotations returns the keys of Reloader's annotations under the arguments of its container, sorted.
func ReloaderAnnotations(args []string) []string {
	n := parseReloaderArgs(args).names
	keys := []string{n.auto, n.search, n.match, n.ignore, n.pause}
	for _, byKind := range []map[string]string{n.typedAuto, n.named, n.exclude} {
		keys = slices.AppendSeq(keys, maps.Values(byKind))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
