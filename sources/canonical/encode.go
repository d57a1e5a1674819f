package canonical

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// StandIn appends the stand-in of a value: the fields of v behind the class.
func StandIn(out []byte, class string, v Value) []byte {
	return v.appendFields(append(append(out, class...), 0))
}

// Encode returns v as its encoding, for what is a part of many values. Nothing can be read from it any more.
func (v Value) Encode() Value {
	if v.IsVoid() {
		return v
	}
	return Value{Shape: Raw, Text: string(v.append(make([]byte, 0, 128)))}
}

func (v *Value) appendFields(out []byte) []byte {
	var few [16]int
	order := few[:0]
	for i, name := range v.Names { // mostly few, and mostly in order
		at := len(order)
		order = append(order, i)
		for ; at > 0 && v.Names[order[at-1]] > name; at-- {
			order[at] = order[at-1]
		}
		order[at] = i
	}
	for _, i := range order {
		out = v.Items[i].appendAsItem(AppendItem(out, v.Names[i]))
	}
	return out
}

func (v *Value) append(out []byte) []byte {
	switch v.Shape {
	case Void:
		return out
	case Map:
		return v.appendFields(append(out, byte(Map)))
	case Sequence:
		out = append(out, byte(Sequence))
		for i := range v.Items {
			out = v.Items[i].appendAsItem(out)
		}
		return out
	case Set:
		items := make([][]byte, len(v.Items))
		for i := range v.Items {
			items[i] = v.Items[i].append(nil)
		}
		slices.SortFunc(items, bytes.Compare)
		out = append(out, byte(Sequence))
		for _, item := range slices.CompactFunc(items, bytes.Equal) {
			out = AppendItem(out, item)
		}
		return out
	case Raw:
		return append(out, v.Text...)
	}
	return append(append(out, byte(v.Shape)), v.Text...)
}

// appendAsItem appends the value's encoding behind its length.
func (v *Value) appendAsItem(out []byte) []byte {
	switch v.Shape {
	case Raw:
		return AppendItem(out, v.Text)
	case Text, Number, Bool:
		out = strconv.AppendInt(out, int64(1+len(v.Text)), 10)
		return append(append(out, ':', byte(v.Shape)), v.Text...)
	}
	from := len(out)
	out = v.append(out)
	var digits [20]byte // the length is known only now
	head := append(strconv.AppendInt(digits[:0], int64(len(out)-from), 10), ':')
	return slices.Insert(out, from, head...)
}

// AppendText appends a field that holds a text, as AppendItem does both.
func AppendText(out []byte, name, text string) []byte {
	out = strconv.AppendInt(AppendItem(out, name), int64(1+len(text)), 10)
	return append(append(out, ':', byte(Text)), text...)
}

// AppendItem appends s behind its length in bytes.
func AppendItem[T string | []byte](out []byte, s T) []byte {
	out = append(strconv.AppendInt(out, int64(len(s)), 10), ':')
	return append(out, s...)
}

// JSON returns a value as JSON, for a person or a store's client.
func (v Value) JSON() string {
	switch v.Shape {
	case Text:
		return v.Text
	case Number, Bool:
		return v.Text
	}
	raw, _ := json.Marshal(v.plain()) // maps, lists and strings cannot fail
	return string(raw)
}

func (v Value) plain() any {
	switch v.Shape {
	case Text:
		return v.Text
	case Bool:
		return v.Text == "true"
	case Number:
		return json.Number(v.Text)
	case Map:
		out := map[string]any{}
		for i, name := range v.Names {
			out[name] = v.Items[i].plain()
		}
		return out
	case Sequence, Set:
		out := []any{}
		for _, item := range v.Items {
			out = append(out, item.plain())
		}
		return out
	}
	return nil
}
