package diff

import (
	"regexp"
	"sync"
)

// hashed is a name with the hash that kustomize puts at the end of what it generates: ten of these characters
// (kyaml's hasher writes hexadecimal digits without vowels and what can be taken for one).
var hashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+)-[24-9bcdfghkmt]{10}$`) })

// baseOf returns a generated name without its hash.
func baseOf(name string) (string, bool) {
	m := hashed().FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return m[1], true
}
