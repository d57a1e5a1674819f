package patches

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
)

// body returns the text of the patch.
func (s *Stamps) body() (string, error) {
	if len(s.Inner) > 0 {
		return s.operations()
	}
	root := mapping()
	*at(root, "apiVersion") = text(s.APIVersion)
	*at(root, "kind") = text(s.Kind)
	*at(root, "metadata", "name") = text(withoutVariables(s.Name))
	if s.Namespace != "" {
		*at(root, "metadata", "namespace") = text(s.Namespace)
	}
	for _, p := range s.Places {
		for _, a := range p.Set {
			*at(root, append(slices.Clone(p.Path), a.Key)...) = text(a.Value)
		}
		for _, key := range p.Remove {
			*at(root, append(slices.Clone(p.Path), key)...) = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
		}
	}
	return encode(root)
}

// encode returns the text of a patch.
func encode(patch any) (string, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	err := cmp.Or(enc.Encode(patch), enc.Close())
	return out.String(), err
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

// text returns a string, in quotes where Kubernetes would read another type or value without.
func text(s string) (n yaml.Node) {
	n.SetString(s)
	d, err := manifest.Parse([]byte(s))
	if err != nil {
		n.Style = yaml.DoubleQuotedStyle
		return n
	}
	if t, read := d.Root().TypeAndText(); t != manifest.String || read != s {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// at returns the node at a path below a mapping, made where it is missing.
func at(n *yaml.Node, path ...string) *yaml.Node {
	if len(path) == 0 {
		return n
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == path[0] {
			return at(n.Content[i+1], path[1:]...)
		}
	}
	key, below := text(path[0]), mapping()
	n.Content = append(n.Content, &key, below)
	return at(below, path[1:]...)
}

// IsOurs reports whether a patch sets nothing but stamps, or adds nothing but such patches to those of another object.
func IsOurs(patch string, prefix hashing.Prefix) bool {
	_, ours := read(patch, prefix)
	if !ours {
		_, ours = readOperations(patch, manifest.Node{}, prefix)
	}
	return ours
}

// readItem returns what an item of a list of patches sets, and whether it is one of ours.
func readItem(item manifest.Node, prefix hashing.Prefix) (s *Stamps, ours bool) {
	text, target := item.Get("patch").StringValue(), item.Get("target")
	if s, ours = read(text, prefix); !ours {
		s, ours = readOperations(text, target, prefix)
	}
	if ours {
		s.isLoose = isLoose(target.Get("name").StringValue()) || isLoose(target.Get("namespace").StringValue())
	}
	return s, ours
}

// read returns what a patch sets, and whether it is one of ours: it sets nothing but stamps.
func read(text string, prefix hashing.Prefix) (s *Stamps, ours bool) {
	body := []byte(text)
	if !prefix.MayBeIn(body) {
		return nil, false
	}
	d, err := manifest.Parse(body)
	if err != nil || d.End != len(text) || len(d.Duplicates()) > 0 || !d.Root().IsMap() {
		return nil, false
	}
	root := d.Root()
	meta := root.Get("metadata")
	s = &Stamps{APIVersion: root.Get("apiVersion").StringValue(), Kind: root.Get("kind").StringValue(),
		Name: meta.Get("name").StringValue(), Namespace: meta.Get("namespace").StringValue()}
	for k, v := range root.Entries() {
		switch k.Text() {
		case "apiVersion", "kind":
		case "metadata":
			ours = s.readMeta(v, prefix)
		default:
			ours = s.readBelow(v, []string{k.Text()}, prefix)
		}
		if !ours && k.Text() != "apiVersion" && k.Text() != "kind" {
			return nil, false
		}
	}
	return s, len(s.Places) > 0
}

// readMeta reads the metadata of a patch: names, and what is set in the annotations of the object itself.
func (s *Stamps) readMeta(n manifest.Node, prefix hashing.Prefix) bool {
	for k, v := range n.Entries() {
		switch k.Text() {
		case "name", "namespace":
			if !v.IsScalar() {
				return false
			}
		default:
			if !s.readBelow(v, []string{"metadata", k.Text()}, prefix) {
				return false
			}
		}
	}
	return n.IsMap()
}

// readBelow reads what is set below a path, and reports whether that is nothing but stamps.
func (s *Stamps) readBelow(n manifest.Node, path []string, prefix hashing.Prefix) bool {
	if !n.IsMap() || n.Len() == 0 {
		return false
	}
	if p, ok := readPlace(n, path, prefix); ok {
		s.Places = append(s.Places, p)
		return true
	}
	for k, v := range n.Entries() {
		if !s.readBelow(v, append(slices.Clone(path), k.Text()), prefix) {
			return false
		}
	}
	return true
}

// readPlace reads a mapping of stamps, one of which it has to hold.
func readPlace(n manifest.Node, path []string, prefix hashing.Prefix) (p Place, ok bool) {
	p.Path = path
	for k, v := range n.Entries() {
		key, isStamp := k.Text(), prefix.Has(k.Text())
		switch {
		case isStamp && v.Type() == manifest.String:
			p.Set = append(p.Set, Annotation{strings.Clone(key), v.StringValue()})
		case v.IsScalar() && v.Type() == manifest.Null:
			p.Remove = append(p.Remove, strings.Clone(key))
		default:
			return p, false
		}
	}
	return p, len(p.Set) > 0
}
