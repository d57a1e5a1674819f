package argocd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// OtherKind is why the plugin refuses an option: it is of another kind of source than the application's folder.
type OtherKind struct {
	Option string // where it is given
	Kind   render.Kind
}

// Error names the option.
func (e *OtherKind) Error() string {
	return fmt.Sprintf("%s: the application is %s, which has no such option", e.Option, article[e.Kind])
}

// overlay sets options in a source of one kind; each replaces a field. Those that set parts of the same field are
// joined. An option that the kind does not have is an error.
func overlay(source tree, kind render.Kind, options []setting) error {
	fresh := map[string]bool{}
	for _, g := range options {
		path, ok := g.option.path(kind)
		if !ok {
			return diag.Usage(&OtherKind{g.from, kind}, "Remove it, or check the application's path.")
		}
		if g.key != "" {
			overlayEntry(source, path, g)
			continue
		}
		if list, isList := g.value.([]any); isList && g.option.Keys[0] != "" && fresh[path] {
			before, _ := lookup(source, path).([]any)
			put(source, path, slices.Concat(before, list))
			continue
		}
		fresh[path] = true
		put(source, path, g.value)
	}
	return nil
}

var article = map[render.Kind]string{render.KindHelm: "a Helm chart", render.KindKustomize: "a kustomization",
	render.KindPlain: "a folder of manifests"}

// path returns the field of the option for a kind of source.
func (o Option) path(kind render.Kind) (string, bool) {
	if o.Own {
		return o.Paths[0], true
	}
	for _, p := range o.Paths {
		if strings.HasPrefix(p, prefixes[kind]) {
			return p, true
		}
	}
	return "", false
}

var prefixes = map[render.Kind]string{render.KindHelm: helmPath, render.KindKustomize: kustomizePath,
	render.KindPlain: directoryPath}

// overlayEntry adds one entry to its map, replacing one of the same name.
func overlayEntry(source tree, path string, g setting) {
	switch value := g.value.(type) {
	case tree:
		below, _ := lookup(source, path).(tree)
		put(source, path, mergePatch(below, value))
	case []any:
		before, _ := lookup(source, path).([]any)
		field := g.option.Keys[0]
		others := slices.DeleteFunc(slices.Clone(before), func(old any) bool {
			entry, _ := old.(tree)
			return entry[field] == g.key
		})
		put(source, path, append(others, value...))
	}
}
