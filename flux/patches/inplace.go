package patches

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// InPlace returns the text of a file in which an object has its stamps itself, and whether it lies there once, by its
// name, and with a place for them.
func InPlace(text []byte, name string, s *Stamps, prefix hashing.Prefix) ([]byte, bool) {
	var edits []splice.Edit
	count := 0
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return text, false
		}
		for o := range d.Objects() {
			here := o.Kind == s.Kind && o.Group() == s.group() && o.Name == s.Name &&
				(o.Namespace == "" || o.Namespace == s.namespace)
			if !here {
				continue
			}
			count++
			made, ok := s.inObject(o, prefix)
			if !ok {
				return text, false
			}
			edits = append(edits, made...)
		}
	}
	if count != 1 {
		return text, false
	}
	splice.Sort(edits)
	return splice.Bytes(text, edits), true
}

// inObject returns the edits that write the stamps into an object.
func (s *Stamps) inObject(o manifest.Object, prefix hashing.Prefix) (out []splice.Edit, ok bool) {
	for _, p := range s.Places {
		slot, err := splice.Locate(o.Node, p.Path, func(key string) splice.Claim {
			switch {
			case prefix.Has(key):
				return splice.Owned
			case slices.Contains(p.Remove, key):
				return splice.Removable
			}
			return splice.Foreign
		})
		if err != nil {
			return nil, false
		}
		var entries []splice.Entry
		for _, a := range p.Set {
			value := a.Value
			if slices.Contains(s.Frozen, a.Key) {
				value = cmp.Or(o.Node.At(p.Path...).Get(a.Key).StringValue(), value)
			}
			entries = append(entries, splice.Entry{Key: a.Key, Value: value})
		}
		out = append(out, slot.Edits(entries, nil)...)
	}
	return out, true
}
