package argocd

import (
	"fmt"
	"slices"
	"strings"
)

// entryOf finds the option whose entry a parameter is, by its name: parameters.image.tag is the entry image.tag of parameters. Argo CD's
// UI writes the whole of an announced map as soon as one entry of it is edited; announced one by one, only what is edited is written.
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

// entry returns the value of a parameter that is one entry of a map, as the map with that entry alone.
func (p parameter) entry(o Option, key string) (any, error) {
	if have := p.collection(); len(have) != 1 || have[0] != String {
		return nil, fmt.Errorf("want a value of type %s: it is one entry of %s", String, o.Name)
	}
	return o.entries(map[string]string{key: *p.String})
}

// layEntry adds one entry to what there is of its map, in the place of one of the same name.
func layEntry(over tree, path string, g given) {
	switch value := g.value.(type) {
	case tree:
		below, _ := lookup(over, path).(tree)
		put(over, path, merged(below, value))
	case []any:
		before, _ := lookup(over, path).([]any)
		field := g.option.Keys[0]
		kept := slices.DeleteFunc(slices.Clone(before), func(old any) bool {
			entry, _ := old.(tree)
			return entry[field] == g.key
		})
		put(over, path, append(kept, value...))
	}
}
