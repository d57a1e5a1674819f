package stamp

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/splice"
)

// annotations is the strategy of a digest in an annotation.
type annotations struct{ slot *splice.Slot }

// locateAnnotations finds the annotations of a pod template.
func locateAnnotations(at location) (strategy, error) {
	slot, err := splice.Locate(at.Node, at.Annotations, at.claim)
	if err != nil {
		return nil, err
	}
	return annotations{slot}, nil
}

func (a annotations) edits(wanted []plan.Wanted) []splice.Edit {
	entries := make([]splice.Entry, 0, len(wanted))
	for _, w := range wanted {
		if w.Value != "" {
			entries = append(entries, splice.Entry{Key: w.Key, Value: w.Value})
		}
	}
	return a.slot.Edits(entries, func(key string) bool { return contains(wanted, key) })
}

func (a annotations) foreign() (keys []string) {
	for _, e := range a.slot.Existing() {
		if e.Claim == splice.Removable {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

func (a annotations) earlier() map[string]string {
	out := map[string]string{}
	for _, e := range a.slot.Existing() {
		if e.Claim == splice.Owned {
			out[e.Key] = e.Value
		}
	}
	return out
}

// contains reports whether a key is among those of stamps, which are sorted by key.
func contains(wanted []plan.Wanted, key string) bool {
	_, found := slices.BinarySearchFunc(wanted, key,
		func(w plan.Wanted, key string) int { return strings.Compare(w.Key, key) })
	return found
}

// claim is whose the entry of a mapping is, by its key.
type claim func(key string) splice.Claim

// claimStamps owns the stamps.
func claimStamps(prefix hashing.Prefix) claim {
	return func(key string) splice.Claim {
		if prefix.Has(key) {
			return splice.Owned
		}
		return splice.Foreign
	}
}

// withRemovable lets go of entries of others, too, where removable reports true.
func (c claim) withRemovable(removable func(key string) bool) claim {
	return func(key string) splice.Claim {
		if c := c(key); c == splice.Owned || !removable(key) {
			return c
		}
		return splice.Removable
	}
}
