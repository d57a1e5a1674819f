package manifest

import (
	"bytes"

	goyaml "sigs.k8s.io/yaml"
)

// Type is what a scalar is to Kubernetes: YAML 1.1, as sigs.k8s.io/yaml reads it.
type Type uint8

// The types of scalars. Number and Bool differ from String only because ConfigMaps and Secrets accept nothing else.
const (
	String Type = iota
	Null
	Bool
	Number
	Other // not a scalar
)

// Type returns what the node is.
func (n Node) Type() Type {
	n = n.target()
	if !n.Valid() || n.raw().kind != scalarNode {
		return Other
	}
	if !n.raw().isUntyped() {
		return String
	}
	return plainType(n.d.value(n.i))
}

// TypeAndText returns Type and Text in one call.
func (n Node) TypeAndText() (Type, string) {
	n = n.target()
	if !n.Valid() || n.raw().kind != scalarNode {
		return Other, ""
	}
	v := n.d.value(n.i)
	if !n.raw().isUntyped() {
		return String, asText(v)
	}
	return plainType(v), asText(v)
}

// PlainType returns what a scalar without quotes and without a tag is.
func PlainType(text string) Type { return plainType([]byte(text)) }

// plainType resolves a plain scalar. Most begin with a letter that begins no other type.
func plainType(v []byte) Type {
	if len(v) == 0 {
		return Null
	}
	switch v[0] {
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-', '+', '.':
		if number(v) {
			return Number
		}
	case '~', 'n', 'N', 'y', 'Y', 't', 'T', 'f', 'F', 'o', 'O':
		return wordType(v)
	}
	return String
}

func wordType(v []byte) Type {
	switch string(v) {
	case "~", "null", "Null", "NULL":
		return Null
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE",
		"n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE":
		return Bool
	}
	return String
}

// number reports whether v is a number. It calls the library for what might be one: there are too many forms (0x1f,
// 1_000, 0o7, 1e3, 0b1) to write them again.
func number(v []byte) bool {
	digit := false
	for _, b := range v {
		switch {
		case b >= '0' && b <= '9':
			digit = true
		case bytes.IndexByte([]byte("+-._abcdefABCDEFxXoO"), b) < 0:
			return infinite(v)
		}
	}
	if isDecimal(v) {
		return true
	}
	if !digit {
		return false // of these, "-", "---" and "..." are no scalars on their own
	}
	var x any
	if err := goyaml.Unmarshal(v, &x); err != nil {
		return false
	}
	_, text := x.(string)
	return !text
}

// isDecimal reports whether v is a number as nearly all are written: digits, of which the first says no other base.
func isDecimal(v []byte) bool {
	const longest = 18 // that is certainly within 64 bits
	if len(v) == 0 || len(v) > longest || v[0] == '0' && len(v) > 1 {
		return false
	}
	return bytes.IndexFunc(v, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// infinite reports whether v is a number that JSON does not have, so that the library refuses it.
func infinite(v []byte) bool {
	switch string(v) {
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN":
		return true
	}
	return false
}

// Shape returns what the node is for a message: "a string", "a mapping".
func (n Node) Shape() string {
	switch n.Type() {
	case String:
		return "a string"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case Null:
		return "null"
	}
	if n.IsMap() {
		return "a mapping"
	}
	return "a list"
}

// StringValue returns a scalar's Text, and "" where it is null: Kubernetes reads null in a string field as unset.
func (n Node) StringValue() string {
	t, text := n.TypeAndText()
	if t == Null {
		return ""
	}
	return text
}

// IsTrue reports whether the node is a boolean that is true, as YAML 1.1 spells it: yes, on and y are.
func (n Node) IsTrue() bool {
	if n.Type() != Bool {
		return false
	}
	switch n.Text() {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE":
		return true
	}
	return false
}

// Field returns a mapping's key as Kubernetes reads it: "yes" is the field "true", 0x10 the field "16".
func (n Node) Field() string {
	t, text := n.TypeAndText()
	switch t {
	case Bool, Number:
		var m map[string]any
		if err := goyaml.Unmarshal([]byte(text+": 0"), &m); err == nil && len(m) == 1 {
			for k := range m {
				return k
			}
		}
	}
	return text
}

// NullLen returns the length of a null that is spelled out ("null", "~"), 0 for any other value and for a null that is
// not written.
func (n Node) NullLen() int {
	if n.Type() != Null || n.raw().style == absent {
		return 0
	}
	text := n.d.text[n.raw().start:]
	for _, w := range []string{"null", "Null", "NULL", "~"} {
		if bytes.HasPrefix(text, []byte(w)) {
			return len(w)
		}
	}
	return 0
}
