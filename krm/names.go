package krm

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// The annotations by which kustomize remembers what it has done with the name of an object. It changes references to
// those names after all functions.
const (
	oldNamesAnnotation = "internal.config.kubernetes.io/previousNames"
	prefixesAnnotation = "internal.config.kubernetes.io/prefixes"
	suffixesAnnotation = "internal.config.kubernetes.io/suffixes"
)

// Names are the names of items that other items still refer to by earlier ones.
type Names map[oldName][]item

type oldName struct{ kind, name string }

// Names returns the names that kustomize has changed already and references have not; nil where there are none.
func (l *List) Names() Names {
	var out Names
	for _, i := range l.items {
		old := i.Annotation(oldNamesAnnotation)
		if old == "" {
			continue
		}
		if out == nil {
			out = Names{}
		}
		all := append(strings.Split(old, ","), i.Name)
		slices.Sort(all)
		for _, name := range slices.Compact(all) {
			key := oldName{i.Kind, name}
			out[key] = append(out[key], i)
		}
	}
	return out
}

// Current returns the name of the object that another one refers to. Of several, as kustomize does, it is the one in
// the same namespace to which the same was added. Where that is not one, the name stays.
func (n Names) Current(by manifest.Object, kind, name string) string {
	all := n[oldName{kind, name}]
	for _, agrees := range []func(manifest.Object) bool{
		func(o manifest.Object) bool { return o.Namespace == by.Namespace },
		func(o manifest.Object) bool {
			return o.Annotation(prefixesAnnotation) == by.Annotation(prefixesAnnotation) &&
				o.Annotation(suffixesAnnotation) == by.Annotation(suffixesAnnotation)
		},
	} {
		if len(all) < 2 {
			break
		}
		var left []item
		for _, i := range all {
			if agrees(i.Object) {
				left = append(left, i)
			}
		}
		all = left
	}
	if len(all) != 1 {
		return name
	}
	return all[0].Name
}
