package lint

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// shape is what Argo CD reads at a place in a file. Argo CD's own decoder ignores everything else there.
type shape struct {
	is     kind
	fields map[string]*shape // of a mapping; nil if the user chooses its keys
	item   *shape            // of a list
	legacy map[string]string // keys of older versions and of other tools, with their replacements
}

type kind uint8

const (
	anything kind = iota
	mapping
	list
	text
	truth
)

var (
	textShape  = &shape{is: text}
	truthShape = &shape{is: truth}
	textsShape = &shape{is: list, item: textShape}
	anyShape   = &shape{}
)

// strict checks the keys and types of a node and of everything below it. Where names the place in messages.
func (c *checker) strict(n *yaml.Node, s *shape, where string) {
	n = resolve(n)
	if n.ShortTag() == "!!null" || n == absent {
		return
	}
	switch s.is {
	case mapping:
		if c.kind(n, yaml.MappingNode, "a mapping", where) && s.fields != nil {
			c.keys(n, s, where)
		}
	case list:
		if c.kind(n, yaml.SequenceNode, "a list", where) {
			for _, item := range items(n) {
				c.strict(item, s.item, where+"[]")
			}
		}
	case text:
		c.kind(n, yaml.ScalarNode, "a text", where)
	case truth:
		if c.kind(n, yaml.ScalarNode, "true or false", where) && n.ShortTag() != "!!bool" {
			c.report(diag.PluginValue, n, "%s: want true or false, found %q", where, n.Value)
		}
	case anything:
	}
}

func (c *checker) kind(n *yaml.Node, want yaml.Kind, called, where string) bool {
	if n.Kind == want {
		return true
	}
	found := map[yaml.Kind]string{yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list",
		yaml.ScalarNode: "a text"}[n.Kind]
	c.report(diag.PluginValue, n, "%s: want %s, found %s", where, called, found)
	return false
}

// keys checks the keys of a mapping. Argo CD ignores their case, and of two uses the last.
func (c *checker) keys(n *yaml.Node, s *shape, where string) {
	known := make([]string, 0, len(s.fields))
	for name := range s.fields {
		known = append(known, name)
	}
	slices.Sort(known)
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		place := strings.TrimPrefix(where+"."+key.Value, ".")
		if first, twice := seen[key.Value]; twice {
			c.report(diag.PluginValue, key, "%s is given twice, first in line %d; the last one counts", place,
				first+c.offset)
		}
		seen[key.Value] = key.Line
		if field, ok := s.fields[key.Value]; ok {
			c.strict(value, field, place)
			continue
		}
		c.reportUnknown(key, s, place, known)
	}
}

func (c *checker) reportUnknown(key *yaml.Node, s *shape, place string, known []string) {
	if key.Tag == "!!merge" {
		return
	}
	if now, old := s.legacy[key.Value]; old {
		c.report(diag.PluginKey, key, "%s has no effect: %s", place, now)
		return
	}
	for _, name := range known {
		if strings.EqualFold(name, key.Value) {
			c.report(diag.PluginKey, key, "%s is read as %s, by chance", place, name).Hint = "Write it as " + name + "."
			return
		}
	}
	c.report(diag.PluginKey, key, "%s has no effect: there is no such key%s", place, config.Suggest(key.Value, known))
}
