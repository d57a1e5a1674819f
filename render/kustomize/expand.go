package kustomize

import (
	"bytes"
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxValues bounds what the aliases of a file may expand to. kustomize writes each of them out, and takes all memory
// for a file of a few hundred bytes whose aliases expand to aliases.
const maxValues = 5_000_000

// checkAliases refuses a text whose aliases expand to too much. Where the text is no YAML, kustomize says so.
func checkAliases(text []byte) error {
	if !mayHoldAliases(text) {
		return nil
	}
	sizes := make(map[*yaml.Node]int)
	total := 0
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		if d.Decode(&doc) != nil {
			return nil
		}
		if total += size(&doc, sizes); total > maxValues {
			return fmt.Errorf("its aliases stand for more than %d values", maxValues)
		}
	}
}

// mayHoldAliases is quick, and wrong on the safe side.
func mayHoldAliases(text []byte) bool {
	if bytes.IndexByte(text, '&') < 0 {
		return false
	}
	for rest := text; ; {
		i := bytes.IndexByte(rest, '*')
		if i < 0 {
			return false
		}
		before := i == 0 || bytes.IndexByte([]byte(" \t\r\n[{,:"), rest[i-1]) >= 0
		after := i+1 < len(rest) && bytes.IndexByte([]byte(" \t\r\n[]{},*"), rest[i+1]) < 0
		if before && after {
			return true
		}
		rest = rest[i+1:]
	}
}

// size counts the values below a node with its aliases written out, as far as maxValues matters.
func size(n *yaml.Node, sizes map[*yaml.Node]int) int {
	if known, ok := sizes[n]; ok {
		return known
	}
	if n.Kind == yaml.AliasNode {
		return size(n.Alias, sizes)
	}
	sizes[n] = maxValues + 1 // an alias to a node that it lies in never ends
	total := 1
	for _, c := range n.Content {
		total = min(total+size(c, sizes), maxValues+1)
	}
	sizes[n] = total
	return total
}
