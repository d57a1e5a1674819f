package sources

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// stands appends the bytes that stand for a value: the fields of v behind the class.
func stands(out []byte, class string, v value) []byte {
	return v.appendFields(append(append(out, class...), 0))
}

func (v *value) appendFields(out []byte) []byte {
	var few [16]int
	order := few[:0]
	for i, name := range v.names { // mostly few, and mostly in order
		at := len(order)
		order = append(order, i)
		for ; at > 0 && v.names[order[at-1]] > name; at-- {
			order[at] = order[at-1]
		}
		order[at] = i
	}
	for _, i := range order {
		out = v.items[i].appendAsItem(appendItem(out, v.names[i]))
	}
	return out
}

func (v *value) append(out []byte) []byte {
	switch v.shape {
	case nothing:
		return out
	case mapping:
		return v.appendFields(append(out, byte(mapping)))
	case listing:
		out = append(out, byte(listing))
		for i := range v.items {
			out = v.items[i].appendAsItem(out)
		}
		return out
	case anyOrder:
		items := make([][]byte, len(v.items))
		for i := range v.items {
			items[i] = v.items[i].append(nil)
		}
		slices.SortFunc(items, bytes.Compare)
		out = append(out, byte(listing))
		for _, item := range slices.CompactFunc(items, bytes.Equal) {
			out = appendItem(out, item)
		}
		return out
	case encoded:
		return append(out, v.text...)
	}
	return append(append(out, byte(v.shape)), v.text...)
}

// appendAsItem appends the value's encoding behind its length.
func (v *value) appendAsItem(out []byte) []byte {
	switch v.shape {
	case encoded:
		return appendItem(out, v.text)
	case textual, numeric, logical:
		out = strconv.AppendInt(out, int64(1+len(v.text)), 10)
		return append(append(out, ':', byte(v.shape)), v.text...)
	}
	from := len(out)
	out = v.append(out)
	var digits [20]byte // the length is known only now
	head := append(strconv.AppendInt(digits[:0], int64(len(out)-from), 10), ':')
	return slices.Insert(out, from, head...)
}

// appendItem writes s behind its length in bytes.
func appendItem[T string | []byte](out []byte, s T) []byte {
	out = append(strconv.AppendInt(out, int64(len(s)), 10), ':')
	return append(out, s...)
}

// json returns a value as JSON, for a person or a store's client.
func (v value) json() string {
	switch v.shape {
	case textual:
		return v.text
	case numeric, logical:
		return v.text
	}
	raw, _ := json.Marshal(v.plain()) // maps, lists and strings are no trouble
	return string(raw)
}

func (v value) plain() any {
	switch v.shape {
	case textual:
		return v.text
	case logical:
		return v.text == "true"
	case numeric:
		return json.Number(v.text)
	case mapping:
		out := map[string]any{}
		for i, name := range v.names {
			out[name] = v.items[i].plain()
		}
		return out
	case listing, anyOrder:
		out := []any{}
		for _, item := range v.items {
			out = append(out, item.plain())
		}
		return out
	}
	return nil
}
