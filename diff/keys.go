package diff

import (
	"maps"
	"slices"
)

// changedKeys compares what two objects hold, sorted by key.
func changedKeys(from, to map[string]any) []KeyChange {
	var out []KeyChange
	for _, key := range slices.Sorted(maps.Keys(union(from, to))) {
		a, had := from[key]
		b, has := to[key]
		switch {
		case !had:
			out = append(out, KeyChange{Key: key, Change: Addition})
		case !has:
			out = append(out, KeyChange{Key: key, Change: Removal})
		case a != b:
			out = append(out, KeyChange{Key: key, Change: Modification})
		}
	}
	return out
}
