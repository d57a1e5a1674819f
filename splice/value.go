package splice

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/manifest"
)

// Field is a key of Fields with its value.
type Field struct {
	Key   string
	Value any
}

// Fields is a mapping that is written in its own order, as a map[string]any is written in the order of its keys.
type Fields []Field

// value is what is written: of what a caller passes, the few forms that YAML and JSON share.
type value struct {
	kind   manifest.Type // Other for a mapping or a sequence
	text   string        // of a scalar: the string itself, or the word or number as JSON has it
	fields []field
	items  []value
	isMap  bool
	inline bool // a string is written in one line
}

type field struct {
	key   string
	value value
}

var errInvalid = errors.New("write a string: it is no valid UTF-8")

// toValue takes nil, a bool, a string, a number, []any, map[string]any, Fields, and what these hold.
func toValue(v any) (value, error) {
	switch v := v.(type) {
	case nil:
		return value{kind: manifest.Null, text: "null"}, nil
	case string:
		if !utf8.ValidString(v) {
			return value{}, errInvalid
		}
		return value{kind: manifest.String, text: v}, nil
	case bool:
		return value{kind: manifest.Bool, text: strconv.FormatBool(v)}, nil
	case []any:
		out := value{kind: manifest.Other, items: make([]value, 0, len(v))}
		for _, item := range v {
			one, err := toValue(item)
			if err != nil {
				return value{}, err
			}
			out.items = append(out.items, one)
		}
		return out, nil
	case map[string]any:
		var fields Fields
		for _, key := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, Field{key, v[key]})
		}
		return fieldsValue(fields)
	case Fields:
		return fieldsValue(v)
	case int, int64, float64, json.Number:
		text, err := json.Marshal(v)
		if err != nil {
			return value{}, fmt.Errorf("write a number: %w", err)
		}
		return value{kind: manifest.Number, text: string(text)}, nil
	}
	return value{}, fmt.Errorf("write a value: %T is neither a scalar, a list nor a mapping", v)
}

func fieldsValue(fields Fields) (value, error) {
	const maxKey = 100 // a longer one is none to some readers of YAML
	out := value{kind: manifest.Other, isMap: true, fields: make([]field, 0, len(fields))}
	const few = 8
	var seen map[string]bool
	if len(fields) > few {
		seen = make(map[string]bool, len(fields))
	}
	isSeen := func(key string) bool {
		if seen == nil {
			return slices.ContainsFunc(out.fields, func(f field) bool { return f.key == key })
		}
		return seen[key]
	}
	for _, f := range fields {
		if len(f.Key) > maxKey || isSeen(f.Key) || f.Key == "<<" || !utf8.ValidString(f.Key) {
			return value{}, errors.New("write a mapping: a key is written twice, is too long or no plain text")
		}
		if seen != nil {
			seen[f.Key] = true
		}
		one, err := toValue(f.Value)
		if err != nil {
			return value{}, err
		}
		out.fields = append(out.fields, field{f.Key, one})
	}
	return out, nil
}

// is reports whether a node holds the value already.
func (v value) is(n manifest.Node) bool {
	switch {
	case !n.Valid():
		return false
	case v.isMap:
		if !n.IsMap() || n.Len() != len(v.fields) {
			return false
		}
		for _, f := range v.fields {
			if _, own := n.OwnEntry(f.key); !f.value.is(own) {
				return false
			}
		}
		return true
	case v.kind == manifest.Other:
		if !n.IsSeq() || n.Len() != len(v.items) {
			return false
		}
		i := 0
		for item := range n.Items() {
			if !v.items[i].is(item) {
				return false
			}
			i++
		}
		return true
	}
	t, text := n.TypeAndText()
	switch {
	case t != v.kind:
		return false
	case t == manifest.Null:
		return true
	case t == manifest.Bool:
		return n.IsTrue() == (v.text == "true")
	}
	return text == v.text
}

// empty reports whether a value is a mapping or sequence without anything in it.
func (v value) empty() bool {
	return v.kind == manifest.Other && len(v.fields) == 0 && len(v.items) == 0
}
