package kustomize

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// root returns the kustomization as it is on disk; a node that is not valid where it cannot be read.
func (k *kustomization) root() manifest.Node {
	d, err := manifest.Parse(k.disk)
	if err != nil {
		return manifest.Node{}
	}
	return d.Root()
}

// entries returns the nodes that a function finds in the entries of some fields.
func (k *kustomization) entries(find func(entry manifest.Node) []manifest.Node, fields ...string) []manifest.Node {
	var out []manifest.Node
	root := k.root()
	for _, field := range fields {
		for entry := range root.Get(field).Items() {
			out = append(out, find(entry)...)
		}
	}
	return out
}

// one returns the position of the one node that was found. Where there are more, it is that of the field: a line that
// is certain, if not as near. Where there is none, as of an entry that is not on disk, no line is known.
func (k *kustomization) one(found []manifest.Node, field string) diag.Position {
	pos := diag.Position{File: k.shown}
	switch len(found) {
	case 0:
	case 1:
		pos.Line = manifest.NewLines(k.disk).At(found[0].Offset())
	default:
		pos.Line = k.fieldLine(field)
	}
	return pos
}

// atEntry returns the position of an entry of some field, the first where there are several; as at where none is found.
func (k *kustomization) atEntry(field, entry string) diag.Position {
	is := func(n manifest.Node) []manifest.Node { return nodeIf(n, n.StringValue() == entry) }
	if found := k.entries(is, field); len(found) > 0 {
		return k.one(found[:1], field)
	}
	return k.at(entry)
}

// keys returns the keys of the kustomization that a path of fields leads to, through whatever lists there are on the
// way, from its root or from anywhere.
func (k *kustomization) keys(path []string, anywhere bool) []manifest.Node {
	var out []manifest.Node
	var walk func(n manifest.Node, path []string, anywhere bool)
	walk = func(n manifest.Node, path []string, anywhere bool) {
		for item := range n.Items() {
			walk(item, path, anywhere)
		}
		for key, value := range n.Entries() {
			is := key.Text() == path[0]
			if is && len(path) == 1 {
				out = append(out, key)
			}
			if anywhere {
				walk(value, path, true)
			} else if is && len(path) > 1 {
				walk(value, path[1:], false)
			}
		}
	}
	walk(k.root(), path, anywhere)
	slices.SortFunc(out, func(a, b manifest.Node) int { return cmp.Compare(a.Offset(), b.Offset()) })
	// What an anchor names is found again where an alias stands.
	return slices.CompactFunc(out, func(a, b manifest.Node) bool { return a.Offset() == b.Offset() })
}

// named returns a node where a field of it holds a text.
func named(field, text string) func(manifest.Node) []manifest.Node {
	return func(n manifest.Node) []manifest.Node { return nodeIf(n, n.Get(field).StringValue() == text) }
}

func nodeIf(n manifest.Node, ok bool) []manifest.Node {
	if !ok {
		return nil
	}
	return []manifest.Node{n}
}
