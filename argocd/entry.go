package argocd

import (
	"fmt"
	"slices"
	"strings"
)

// entryOf finds the option of which a parameter is one entry, by its name: parameters.image.tag is the entry image.tag
// of parameters. Argo CD's UI writes the whole of an announced map as soon as one entry is edited; if each entry is
// announced, it writes only what is edited.
func entryOf(name string) (o Option, key string, ok bool) {
	option, key, cut := strings.Cut(name, ".")
	if !cut || key == "" {
		return Option{}, "", false
	}
	for _, o := range Options() {
		if o.Name == option && o.Collection == Map {
			return o, key, true
		}
	}
	return Option{}, "", false
}

// entry returns the value of a parameter that is one entry of a map, as a map of that entry.
func (p parameter) entry(o Option, key string) (any, error) {
	if have := p.collection(); len(have) != 1 || have[0] != String {
		return nil, fmt.Errorf("want a value of type %s: it is one entry of %s", String, o.Name)
	}
	return o.entries(map[string]string{key: *p.String})
}

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
