// Package canonical writes the bytes that a digest takes for a value which the render does not have. They are the
// contract in docs/content-v1.md.
package canonical

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	goyaml "sigs.k8s.io/yaml"
)

// The classes of the stand-ins of values that are not in the render. They are part of the contract in
// docs/content-v1.md, as is all of this file.
const (
	ClassCipher  = "cipher"
	ClassSpec    = "spec"
	ClassVersion = "version"
	ClassValue   = "value"
)

// Shape is what a value is in its canonical bytes; the letter of its encoding but for a set, which is written as a
// list.
type Shape byte

// The shapes.
const (
	Void     Shape = 0
	Text     Shape = 's'
	Number   Shape = 'n'
	Bool     Shape = 'b'
	Map      Shape = 'm'
	Sequence Shape = 'l'
	Set      Shape = 'L'
	Raw      Shape = 'e' // anything, as its encoding already
)

// Value is a part of a manifest on its way into canonical bytes. The zero value is nothing.
type Value struct {
	Shape Shape
	Text  string   // of a scalar; of what is encoded, its encoding
	Names []string // of a mapping, one for each item
	Items []Value
}

// String returns a text.
func String(s string) Value { return Value{Shape: Text, Text: s} }

// List returns a list.
func List(items ...Value) Value { return Value{Shape: Sequence, Items: items} }

// With returns a mapping with one more field; a field without a value is none.
func (v Value) With(name string, item Value) Value {
	v.Shape = Map
	if !item.IsVoid() {
		v.Names, v.Items = append(slices.Clip(v.Names), name), append(slices.Clip(v.Items), item) // v may have other heirs
	}
	return v
}

// And returns a mapping with the fields of another one too.
func (v Value) And(more Value) Value {
	for i, name := range more.Names {
		v = v.With(name, more.Items[i])
	}
	return v
}

// IsVoid reports whether a field with that value counts as not there.
func (v Value) IsVoid() bool {
	return v.Shape == Void || len(v.Items) == 0 && v.Text == ""
}

// Get returns a field of a mapping.
func (v Value) Get(name string) Value {
	if v.Shape == Map {
		if i := slices.Index(v.Names, name); i >= 0 {
			return v.Items[i]
		}
	}
	return Value{}
}

// At follows a dotted path.
func (v Value) At(path string) Value {
	for name := range strings.SplitSeq(path, ".") {
		v = v.Get(name)
	}
	return v
}

// Set returns a copy in which the field that a dotted path leads to holds item, or is gone where that is nothing. Where
// there is no such field, nothing is set.
func (v Value) Set(path string, item Value) Value {
	name, rest, deeper := strings.Cut(path, ".")
	i := slices.Index(v.Names, name)
	if v.Shape != Map || i < 0 {
		return v
	}
	if deeper {
		item = v.Items[i].Set(rest, item)
	}
	names, items := slices.Clone(v.Names), slices.Clone(v.Items)
	if item.IsVoid() {
		v.Names, v.Items = slices.Delete(names, i, i+1), slices.Delete(items, i, i+1)
		return v
	}
	items[i] = item
	v.Names, v.Items = names, items
	return v
}

// AsSet returns a list whose order does not count.
func (v Value) AsSet() Value {
	if v.Shape == Sequence {
		v.Shape = Set
	}
	return v
}

// BoolOf returns a boolean.
func BoolOf(b bool) Value { return Value{Shape: Bool, Text: strconv.FormatBool(b)} }

// NumberOf returns a number as JSON has it, from YAML's text.
func NumberOf(text string) Value { return Value{Shape: Number, Text: jsonNumber(text)} }

// jsonNumber returns a number as JSON has it.
func jsonNumber(s string) string {
	if s == "0" || s != "" && len(s) < 16 && s[0] != '0' && strings.Trim(s, "0123456789") == "" {
		return s
	}
	j, err := goyaml.YAMLToJSON([]byte(s))
	if err != nil {
		return s // .inf, which JSON does not have
	}
	return string(bytes.TrimSpace(j))
}
