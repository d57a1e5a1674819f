package lint

import (
	"go.yaml.in/yaml/v3"
)

// get follows keys from mapping to mapping, through aliases. A missing key is an empty node, so that a path can be
// followed without a check at each step.
func get(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		_, n = entry(n, key)
	}
	return resolve(n)
}

// entry returns a key of a mapping and its value; of a repeated key the last. Other keys take precedence over merged
// ones.
func entry(n *yaml.Node, key string) (k, v *yaml.Node) { return entryBelow(n, key, 0) }

// maxMerges bounds merges of merges, which can be circular.
const maxMerges = 16

func entryBelow(n *yaml.Node, key string, merges int) (k, v *yaml.Node) {
	n = resolve(n)
	k, v = absent, absent
	if n.Kind != yaml.MappingNode || merges > maxMerges {
		return k, v
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch {
		case n.Content[i].Value == key:
			k, v = n.Content[i], n.Content[i+1]
		case n.Content[i].Tag == "!!merge" && k == absent:
			k, v = entryBelow(n.Content[i+1], key, merges+1)
		}
	}
	return k, v
}

var absent = &yaml.Node{}

func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func has(n *yaml.Node, path ...string) bool { return get(n, path...) != absent }

// items returns the items of a sequence; none for anything else.
func items(n *yaml.Node) []*yaml.Node {
	if n = resolve(n); n.Kind != yaml.SequenceNode {
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		out[i] = resolve(item)
	}
	return out
}

// scalars returns the scalars of a sequence.
func scalars(n *yaml.Node) []string {
	var out []string
	for _, item := range items(n) {
		out = append(out, item.Value)
	}
	return out
}

// orParent returns the node, or if it is absent its parent, which has a position.
func orParent(n, parent *yaml.Node) *yaml.Node {
	if n == absent {
		return parent
	}
	return n
}
