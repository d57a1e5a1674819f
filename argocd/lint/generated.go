package lint

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// syncing is what an object says of syncs, for itself or for one Application that a set makes of it.
type syncing struct {
	spec, metadata *yaml.Node
	patch          *yaml.Node // absent without one
	stamps         stamps
}

// syncs returns what an object says of syncs: as it is written, or where it is a set whose template fills something of
// that in, as it is in each of the Applications. It is as it is written, too, where not all of these are known.
func (c *checker) syncs(written syncing, looked *Looked, ours [][]Seen) []syncing {
	parts := []*yaml.Node{get(written.metadata, "annotations")}
	for _, spec := range []*yaml.Node{written.spec, get(written.patch, "spec")} {
		parts = append(parts, get(spec, "ignoreDifferences"), get(spec, "syncPolicy"))
	}
	parts = append(parts, get(written.patch, "metadata", "annotations"))
	if len(looked.Made) == 0 || !slices.ContainsFunc(parts, func(n *yaml.Node) bool { return mentions(n, "{{") }) {
		return []syncing{written}
	}
	areAll := !slices.ContainsFunc(looked.Unjudged, func(u Unjudged) bool { return u.Generator >= 0 })
	var out []syncing
	for _, made := range looked.Made {
		one := written
		one.stamps = looked.stampedBy(made.Name, ours)
		var isFilled [3]bool
		one.spec, isFilled[0] = syncFields(written.spec, made.Spec)
		one.metadata, isFilled[1] = fill(written.metadata, made.Metadata)
		one.patch, isFilled[2] = patched(written.patch, made)
		if isFilled == [3]bool{true, true, true} {
			out = append(out, one)
		} else {
			areAll = false
		}
	}
	if !areAll {
		out = append(out, written)
	}
	return out
}

// syncFields returns the fields about syncs of a template's spec as they are in an Application.
func syncFields(spec *yaml.Node, made map[string]any) (*yaml.Node, bool) {
	out, areFilled := &yaml.Node{Kind: yaml.MappingNode, Line: spec.Line}, true
	for _, field := range []string{"ignoreDifferences", "syncPolicy"} {
		key, value := entry(spec, field)
		if key == absent {
			continue
		}
		filled, isFilled := fill(resolve(value), made[field])
		areFilled = areFilled && isFilled
		if filled != absent {
			out.Content = append(out.Content, key, filled)
		}
	}
	return out, areFilled
}

// patched returns what a patch says of syncs as it is in an Application.
func patched(patch *yaml.Node, made Made) (*yaml.Node, bool) {
	if patch == absent {
		return absent, true
	}
	spec, isFilled := syncFields(get(patch, "spec"), made.Spec)
	metadata, isFilledToo := fill(get(patch, "metadata"), made.Metadata)
	key := func(name string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: name, Line: patch.Line} }
	return &yaml.Node{Kind: yaml.MappingNode, Line: patch.Line,
		Content: []*yaml.Node{key("spec"), spec, key("metadata"), metadata}}, isFilled && isFilledToo
}

// fill returns a node with the texts that a value has in their places, and whether the value is one that the node
// becomes. It is absent where the value has nothing of it.
func fill(n *yaml.Node, value any) (*yaml.Node, bool) {
	n = resolve(n)
	if n == absent || value == nil {
		return absent, true
	}
	out := *n
	out.Content = nil
	switch value := value.(type) {
	case map[string]any:
		if n.Kind != yaml.MappingNode {
			return absent, false
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			below, isFilled := fill(n.Content[i+1], value[n.Content[i].Value])
			if !isFilled {
				return absent, false
			}
			if below != absent {
				out.Content = append(out.Content, n.Content[i], below)
			}
		}
	case []any:
		if n.Kind != yaml.SequenceNode || len(n.Content) != len(value) {
			return absent, false
		}
		for i, item := range value {
			below, isFilled := fill(n.Content[i], item)
			if !isFilled {
				return absent, false
			}
			out.Content = append(out.Content, below)
		}
	default:
		if n.Kind != yaml.ScalarNode {
			return absent, false
		}
		if strings.Contains(n.Value, "{{") {
			out.Value = fmt.Sprint(value)
		}
	}
	return &out, true
}

// once takes back the findings since there were so many that are there twice: several Applications have them.
func (c *checker) once(since int) {
	seen := map[diag.Finding]bool{}
	for _, f := range c.findings[:since] {
		seen[f] = true
	}
	kept := slices.DeleteFunc(c.findings[since:], func(f diag.Finding) bool {
		isTwice := seen[f]
		seen[f] = true
		return isTwice
	})
	c.findings = c.findings[:since+len(kept)]
}
