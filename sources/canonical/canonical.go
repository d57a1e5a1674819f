// Package canonical writes the bytes that a digest takes for a value which the render does not have. They are the
// contract in docs/content-v1.md.
package canonical

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	goyaml "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
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

func String(s string) Value { return Value{Shape: Text, Text: s} }

// Encoded returns v as its encoding, for what is a part of many values. Nothing can be read from it any more.
func (v Value) Encoded() Value {
	if v.IsVoid() {
		return v
	}
	return Value{Shape: Raw, Text: string(v.append(nil))}
}

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

// Change returns a copy in which the places that a path leads to hold what change returns for them; a field without a
// value goes. The path is dotted, with "[*]" behind a list for each of its items and "*" for each value of a mapping;
// "" is the value itself. Where there is no such place, nothing changes.
func (v Value) Change(path string, change func(Value) Value) Value {
	if path == "" {
		return change(v)
	}
	name, rest, _ := strings.Cut(path, ".")
	if lists, ok := strings.CutPrefix(name, "[*]"); ok {
		return v.changeItems(strings.TrimPrefix(strings.TrimSuffix(lists+"."+rest, "."), "."), change)
	}
	name, lists, each := strings.Cut(name, "[*]")
	if each {
		rest = strings.TrimSuffix("[*]"+lists+"."+rest, ".")
	}
	if v.Shape != Map {
		return v
	}
	out := Value{Shape: Map}
	for i, field := range v.Names {
		item := v.Items[i]
		if field == name || name == "*" {
			if item = item.Change(rest, change); item.Shape == Void || item.IsVoid() && !v.Items[i].IsVoid() {
				continue
			}
		}
		out.Names, out.Items = append(out.Names, field), append(out.Items, item)
	}
	return out
}

// changeItems changes the items of a list.
func (v Value) changeItems(path string, change func(Value) Value) Value {
	if v.Shape != Sequence && v.Shape != Set {
		return v
	}
	v.Items = slices.Clone(v.Items)
	for i := range v.Items {
		v.Items[i] = v.Items[i].Change(path, change)
	}
	return v
}

// Default is a value that the API fills in where none is written.
type Default struct {
	path  string
	value Value
}

// DefaultTrue is the default true.
func DefaultTrue(path string) Default { return Default{path, BoolOf(true)} }

// DefaultFalse is the default false.
func DefaultFalse(path string) Default { return Default{path, BoolOf(false)} }

// DefaultNumber is a number, as JSON has it.
func DefaultNumber(path, number string) Default { return Default{path, NumberOf(number)} }

// DefaultString is a string.
func DefaultString(path, text string) Default { return Default{path, String(text)} }

// DefaultOf is a default of any type.
func DefaultOf(path string, value Value) Default { return Default{path, value} }

// Below returns the default for a part of the value that lies at a path, and whether there is one.
func (d Default) Below(path string) (Default, bool) {
	rest, ok := Below(d.path, path)
	return Default{rest, d.value}, ok
}

// Below returns the rest of a path that leads into what lies at another one.
func Below(path, at string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, at)
	switch {
	case !ok || at == "" || rest == "" || strings.HasPrefix(rest, "[*]"):
		return rest, ok
	}
	return strings.CutPrefix(rest, ".")
}

// Without leaves out what is at its default.
func (v Value) Without(defaults []Default) Value {
	for _, d := range defaults {
		v = v.Change(d.path, func(at Value) Value {
			if at.Shape == d.value.Shape && at.Text == d.value.Text {
				return Value{}
			}
			return at
		})
	}
	return v
}

// AsSet returns a list whose order does not count.
func (v Value) AsSet() Value {
	if v.Shape == Sequence {
		v.Shape = Set
	}
	return v
}

// NumberOf returns a number as JSON has it, from YAML's text.
func NumberOf(text string) Value { return Value{Shape: Number, Text: jsonNumber(text)} }

// BoolOf returns a boolean.
func BoolOf(b bool) Value { return Value{Shape: Bool, Text: strconv.FormatBool(b)} }

// hasUserKeys reports of a field whether its keys are those that the user chooses: that one is there says something.
func hasUserKeys(field string) bool {
	switch field {
	case "data", "stringData", "encryptedData", "headers", "parameters", "params", "processors", "tags", "templates":
		return true
	}
	return false
}

// Reader turns nodes into values. It takes the memory of many values at once; the zero value is ready.
type Reader struct {
	names []string
	items []Value
}

// Reuse returns a reader that takes the memory of the values which r has read; they are not good any more.
func (r *Reader) Reuse() Reader { return Reader{r.names[:0], r.items[:0]} }

// Mapping returns a mapping with space for n fields, which add fills.
func (r *Reader) Mapping(n int) Value {
	const slab = 256
	if n > slab/4 {
		return Value{Shape: Map, Names: make([]string, 0, n), Items: make([]Value, 0, n)}
	}
	if len(r.items)+n > cap(r.items) {
		r.names, r.items = make([]string, 0, slab), make([]Value, 0, slab)
	}
	from := len(r.items)
	r.names, r.items = r.names[:from+n], r.items[:from+n]
	return Value{Shape: Map, Names: r.names[from : from : from+n], Items: r.items[from : from : from+n]}
}

// Add adds a field to a mapping that nobody else has; a field without a value is none.
func (v *Value) Add(name string, item Value) {
	if !item.IsVoid() {
		v.Names, v.Items = append(v.Names, name), append(v.Items, item)
	}
}

// Read takes a node; what counts as not there is left out.
func Read(n manifest.Node) Value { return new(Reader).Read(n, false, nil) }

// Read takes a node. In a mapping of the user's, only null is left out; else what counts as not there, and what is at
// its default.
func (r *Reader) Read(n manifest.Node, free bool, defaults []Default) Value {
	switch {
	case n.IsMap():
		v := r.Mapping(n.Len())
		for f := n.Fields(); f.Next(); {
			name := f.Key.Field()
			item := r.Read(f.Value, hasUserKeys(name), nil)
			drop := item.Shape == Void || !free && item.IsVoid() || item.isDefault(name, defaults)
			if i := slices.Index(v.Names, name); i >= 0 { // written twice, and the last counts
				v.Names, v.Items = slices.Delete(v.Names, i, i+1), slices.Delete(v.Items, i, i+1)
			}
			if !drop {
				v.Names, v.Items = append(v.Names, name), append(v.Items, item)
			}
		}
		return v
	case n.IsSeq():
		v := Value{Shape: Sequence}
		for it := range n.Items() {
			v.Items = append(v.Items, r.Read(it, false, nil))
		}
		return v
	}
	return Scalar(n)
}

func (v *Value) isDefault(name string, defaults []Default) bool {
	for i := range defaults {
		if d := &defaults[i]; d.path == name && d.value.Shape == v.Shape && d.value.Text == v.Text {
			return true
		}
	}
	return false
}

func Scalar(n manifest.Node) Value {
	switch t, s := n.Typed(); t {
	case manifest.String:
		return String(s)
	case manifest.Bool:
		return Value{Shape: Bool, Text: strconv.FormatBool(n.IsTrue())}
	case manifest.Number:
		return Value{Shape: Number, Text: jsonNumber(s)}
	}
	return Value{}
}

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

// Embedded reads a text that is YAML of a map or a list, and the texts in it; any other text is itself.
func Embedded(v Value) Value {
	switch v.Shape {
	case Text:
		d, err := manifest.Parse([]byte(v.Text))
		if err != nil || !d.Root().IsMap() && !d.Root().IsSeq() {
			return v
		}
		return Embedded(Read(d.Root()))
	case Map, Sequence:
		v.Items = slices.Clone(v.Items)
		for i := range v.Items {
			v.Items[i] = Embedded(v.Items[i])
		}
	}
	return v
}
