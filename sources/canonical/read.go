package canonical

import (
	"slices"
	"strconv"

	"github.com/rollstamp/rollstamp/manifest"
)

// Keys is whose the keys of a mapping are.
type Keys int

const (
	// SchemaKeys are those of a schema: an empty value says as much as none.
	SchemaKeys Keys = iota
	// UserKeys are those that the user chooses: that one is there says something.
	UserKeys
)

// keysBelow returns whose the keys of a field's mapping are.
func keysBelow(field string) Keys {
	switch field {
	case "data", "stringData", "encryptedData", "headers", "parameters", "params", "processors", "tags", "templates":
		return UserKeys
	}
	return SchemaKeys
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
func Read(n manifest.Node) Value { return new(Reader).Read(n, SchemaKeys, nil) }

// Read takes a node. In a mapping with keys of the user's, only null is left out; else what counts as not there, and
// what is at its default.
func (r *Reader) Read(n manifest.Node, keys Keys, defaults []Default) Value {
	switch {
	case n.IsMap():
		v := r.Mapping(n.Len())
		for f := n.Fields(); f.Next(); {
			name := f.Key.Field()
			item := r.Read(f.Value, keysBelow(name), nil)
			drop := item.Shape == Void || keys == SchemaKeys && item.IsVoid() || item.isDefault(name, defaults)
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
			v.Items = append(v.Items, r.Read(it, SchemaKeys, nil))
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

// Scalar takes a scalar; anything else, and null, is nothing.
func Scalar(n manifest.Node) Value {
	switch t, s := n.TypeAndText(); t {
	case manifest.String:
		return String(s)
	case manifest.Bool:
		return Value{Shape: Bool, Text: strconv.FormatBool(n.IsTrue())}
	case manifest.Number:
		return Value{Shape: Number, Text: jsonNumber(s)}
	}
	return Value{}
}

// ParseEmbedded reads a text that is YAML of a map or a list, and the texts in it; any other text is itself.
func ParseEmbedded(v Value) Value {
	switch v.Shape {
	case Text:
		d, err := manifest.Parse([]byte(v.Text))
		if err != nil || !d.Root().IsMap() && !d.Root().IsSeq() {
			return v
		}
		return ParseEmbedded(Read(d.Root()))
	case Map, Sequence:
		v.Items = slices.Clone(v.Items)
		for i := range v.Items {
			v.Items[i] = ParseEmbedded(v.Items[i])
		}
	}
	return v
}
