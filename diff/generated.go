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

// generated pairs ConfigMaps and Secrets whose names differ in their hash only.
func (c *comparer) generated() {
	type handle struct {
		app string
		id  id
	}
	c.match(func(o *object) any {
		base, ok := baseOf(o.Name.Name)
		if !ok || o.Group != "" || o.Kind != "ConfigMap" && o.Kind != "Secret" {
			return nil
		}
		i := o.id()
		i.name = base
		return handle{o.App, i}
	})
}
