package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
)

// prefixes are what the keys of stamps begin with on the two sides.
type prefixes struct{ old, now hashing.Prefix }

// stamp returns what follows the prefix in the key of the stamp at a path, or the name of the environment variable that
// is one, and whether a stamp is there.
func (p prefixes) stamp(path string) (name string, ok bool) {
	if name, ok := variableAt(path); ok {
		return name, true
	}
	key, ok := lastKey(path)
	if !ok || !p.old.Has(key) && !p.now.Has(key) {
		return "", false
	}
	return p.name(key), true
}

// name returns what follows the prefix in a stamp's key.
func (p prefixes) name(key string) string {
	for _, prefix := range [...]hashing.Prefix{p.old, p.now, {}} {
		if name := prefix.Name(key); name != key {
			return name
		}
	}
	return key
}

// mark marks the stamps among the changed places of objects.
func (p prefixes) mark(deltas []*delta) {
	for _, d := range deltas {
		for i := range d.fields {
			_, d.fields[i].Stamp = p.stamp(d.fields[i].Path)
		}
	}
}

// variableAt returns the environment variable of ours that a path leads to, or to the value of.
func variableAt(path string) (name string, ok bool) {
	at := strings.LastIndex(path, ".env[")
	if at < 0 {
		return "", false
	}
	name, rest, found := strings.Cut(path[at+len(".env["):], "]")
	return name, found && (rest == "" || rest == ".value") && hashing.IsVariable(name)
}

// holdsVariables reports whether a value is a list of which an item is an environment variable of ours.
func holdsVariables(v any) bool {
	list, _ := v.([]any)
	return slices.ContainsFunc(list, func(item any) bool {
		table, _ := item.(map[string]any)
		name, _ := table["name"].(string)
		return hashing.IsVariable(name)
	})
}

// lastKey returns the key that a path ends in, where it is in quotes as those of annotations with a slash are.
func lastKey(path string) (string, bool) {
	at := strings.LastIndex(path, `["`)
	if at < 0 || !strings.HasSuffix(path, `"]`) {
		return "", false
	}
	key, err := strconv.Unquote(path[at+1 : len(path)-1])
	return key, err == nil
}
