package diff

import (
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
)

// prefixes are what the keys of stamps begin with on the two sides.
type prefixes struct{ old, now hashing.Prefix }

// stamp returns what follows the prefix in the key of the stamp at a path, and whether a stamp is there.
func (p prefixes) stamp(path string) (name string, ok bool) {
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

// mark marks the stamps among changed places.
func (p prefixes) mark(fields []FieldChange) {
	for i := range fields {
		_, fields[i].Stamp = p.stamp(fields[i].Path)
	}
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
