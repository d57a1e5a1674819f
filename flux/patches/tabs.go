package patches

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxTabs is how many tabs of a document are looked at one by one: each time all of it is read.
const maxTabs = 100

// withoutTabs returns a document in which everything is at the same offset and says the same, with blanks instead of
// the tabs between its words. The strict reader reads no such tabs, which the library and Flux take for blanks, as in
// "patches:<tab># of the team". Tabs within a value stay.
func withoutTabs(document []byte) []byte {
	n := bytes.Count(document, []byte("\t"))
	if n == 0 {
		return document
	}
	var have yaml.Node
	if yaml.Unmarshal(document, &have) != nil {
		return document
	}
	saysTheSame := func(text []byte) bool {
		var other yaml.Node
		return yaml.Unmarshal(text, &other) == nil && sameNodes(&have, &other)
	}
	if all := bytes.ReplaceAll(document, []byte("\t"), []byte(" ")); saysTheSame(all) {
		return all
	}
	if n > maxTabs {
		return document
	}
	out := bytes.Clone(document)
	for i, b := range document {
		if b != '\t' {
			continue
		}
		if out[i] = ' '; !saysTheSame(out) {
			out[i] = '\t'
		}
	}
	return out
}

// sameNodes reports whether two nodes say the same at the same places.
func sameNodes(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && a.Anchor == b.Anchor &&
		a.Line == b.Line && a.Column == b.Column && slices.EqualFunc(a.Content, b.Content, sameNodes)
}
