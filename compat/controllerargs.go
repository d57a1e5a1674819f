package compat

import (
	"maps"
	"slices"
	"strings"
)

// EffectiveReloaderArgs returns those arguments of Reloader's container that change what it restarts or how its
// annotations are called, each as --name=value.
func EffectiveReloaderArgs(args []string) (out []string) {
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if !strings.HasPrefix(args[i], "-") {
			continue
		}
		if !joined && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			value, joined = args[i], true
		}
		value = strings.Trim(value, `"`) // its chart writes them around a selector, and Reloader takes them away
		switch _, known := reloaderFlags[name]; {
		case !known:
		case joined:
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
