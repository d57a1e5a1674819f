package sources

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	goyaml "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
)

// The classes of what stands for a value that is not in the render. They are part of the contract in docs/content-v1.md, as is all
// of this file.
const (
	classCipher  = "cipher"
	classSpec    = "spec"
	classVersion = "version"
	classValue   = "value"
)

// shape is what a value is in its canonical bytes; the letter of its encoding but for a set, which is written as a list.
type shape byte

const (
	nothing  shape = 0
	textual  shape = 's'
	numeric  shape = 'n'
	logical  shape = 'b'
	mapping  shape = 'm'
	listing  shape = 'l'
	anyOrder shape = 'L'
	encoded  shape = 'e' // anything, as its encoding already
)

// value is a part of a manifest on its way into canonical bytes. The zero value is nothing.
type value struct {
	shape shape
	text  string   // of a scalar; of what is encoded, its encoding
	names []string // of a mapping, one for each item
	items []value
}

func text(s string) value { return value{shape: textual, text: s} }

// written returns v as its encoding, for what is a part of many values. Nothing can be read from it any more.
func (v value) written() value {
	if v.void() {
		return v
	}
	return value{shape: encoded, text: string(v.append(nil))}
}

func list(items ...value) value { return value{shape: listing, items: items} }

// with returns a mapping one more field; a field without a value is none.
func (v value) with(name string, item value) value {
	v.shape = mapping
	if !item.void() {
		v.names, v.items = append(slices.Clip(v.names), name), append(slices.Clip(v.items), item) // v may have other heirs
	}
	return v
}

// and returns a mapping the fields of another one too.
func (v value) and(more value) value {
	for i, name := range more.names {
		v = v.with(name, more.items[i])
	}
	return v
}

// void reports whether a field with that value counts as not there.
func (v value) void() bool {
	return v.shape == nothing || len(v.items) == 0 && v.text == ""
}

// get returns a field of a mapping.
func (v value) get(name string) value {
	if v.shape == mapping {
		if i := slices.Index(v.names, name); i >= 0 {
			return v.items[i]
		}
	}
	return value{}
}

// at follows a dotted path.
func (v value) at(path string) value {
	for name := range strings.SplitSeq(path, ".") {
		v = v.get(name)
	}
	return v
}

// set returns a copy in which the place that a dotted path leads to ("[]" behind a list: that place in each of its items) holds item,
// or nothing. Where there is no such place, nothing is set.
func (v value) set(path string, item value) value {
	name, rest, deeper := strings.Cut(path, ".")
	name, each := strings.CutSuffix(name, "[]")
	i := slices.Index(v.names, name)
	if v.shape != mapping || i < 0 {
		return v
	}
	switch at := v.items[i]; {
	case each:
		at.items = slices.Clone(at.items)
		for k := range at.items {
			at.items[k] = at.items[k].set(rest, item)
		}
		item = at
	case deeper:
		item = at.set(rest, item)
	}
	names, items := slices.Clone(v.names), slices.Clone(v.items)
	if item.void() {
		v.names, v.items = slices.Delete(names, i, i+1), slices.Delete(items, i, i+1)
		return v
	}
	items[i] = item
	v.names, v.items = names, items
	return v
}

// preset is a value that the API fills in where none is written.
type preset struct {
	path  string
	value value
}

func yes(path string) preset            { return preset{path, value{shape: logical, text: "true"}} }
func no(path string) preset             { return preset{path, value{shape: logical, text: "false"}} }
func number(path, value1 string) preset { return preset{path, value{shape: numeric, text: value1}} }
func word(path, value1 string) preset   { return preset{path, text(value1)} }

// without leaves out what is at its default.
func (v value) without(defaults []preset) value {
	for _, d := range defaults {
		if at := v.at(d.path); at.shape == d.value.shape && at.text == d.value.text {
			v = v.set(d.path, value{})
		}
	}
	return v
}

// users reports of a field whether its keys are those that the user chooses: that one is there says something.
func users(field string) bool {
	switch field {
	case "data", "stringData", "encryptedData", "headers", "parameters", "params", "processors", "tags", "templates":
		return true
	}
	return false
}

// reader turns nodes into values. It takes the memory of many values at once; the zero value is ready.
type reader struct {
	names []string
	items []value
}

// mapping returns a mapping with room for n fields, which add fills.
func (r *reader) mapping(n int) value {
	const slab = 256
	if n > slab/4 {
		return value{shape: mapping, names: make([]string, 0, n), items: make([]value, 0, n)}
	}
	if len(r.items)+n > cap(r.items) {
		r.names, r.items = make([]string, 0, slab), make([]value, 0, slab)
	}
	from := len(r.items)
	r.names, r.items = r.names[:from+n], r.items[:from+n]
	return value{shape: mapping, names: r.names[from : from : from+n], items: r.items[from : from : from+n]}
}

// add returns a mapping that nobody else has one more field; a field without a value is none.
func (v *value) add(name string, item value) {
	if !item.void() {
		v.names, v.items = append(v.names, name), append(v.items, item)
	}
}

// read takes a node; what counts as not there is left out.
func read(n manifest.Node) value { return new(reader).read(n, false, nil) }

// read takes a node. In a mapping of the user's, only null is left out; else what counts as not there, and what is at its default.
func (r *reader) read(n manifest.Node, free bool, defaults []preset) value {
	switch {
	case n.IsMap():
		v := r.mapping(n.Len())
		for f := n.Fields(); f.Next(); {
			name := f.Key.Field()
			item := r.read(f.Value, users(name), nil)
			drop := item.shape == nothing || !free && item.void() || item.isDefault(name, defaults)
			if i := slices.Index(v.names, name); i >= 0 { // written twice, and the last counts
				v.names, v.items = slices.Delete(v.names, i, i+1), slices.Delete(v.items, i, i+1)
			}
			if !drop {
				v.names, v.items = append(v.names, name), append(v.items, item)
			}
		}
		return v
	case n.IsSeq():
		v := value{shape: listing}
		for it := range n.Items() {
			v.items = append(v.items, r.read(it, false, nil))
		}
		return v
	}
	return scalar(n)
}

func (v *value) isDefault(name string, defaults []preset) bool {
	for i := range defaults {
		if d := &defaults[i]; d.path == name && d.value.shape == v.shape && d.value.text == v.text {
			return true
		}
	}
	return false
}

func scalar(n manifest.Node) value {
	switch t, s := n.Typed(); t {
	case manifest.String:
		return text(s)
	case manifest.Bool:
		return value{shape: logical, text: strconv.FormatBool(n.IsTrue())}
	case manifest.Number:
		return value{shape: numeric, text: jsonNumber(s)}
	}
	return value{}
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

// embedded reads a text that is YAML of a map or a list, and the texts in it; any other text is itself.
func embedded(v value) value {
	switch v.shape {
	case textual:
		d, err := manifest.Parse([]byte(v.text))
		if err != nil || !d.Root().IsMap() && !d.Root().IsSeq() {
			return v
		}
		return embedded(read(d.Root()))
	case mapping, listing:
		v.items = slices.Clone(v.items)
		for i := range v.items {
			v.items[i] = embedded(v.items[i])
		}
	}
	return v
}
