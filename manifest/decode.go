package manifest

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Decode returns what a node holds, as JSON has it: mappings, lists, texts, truth values, numbers and nil.
func (n Node) Decode() any {
	switch {
	case n.IsMap():
		out := map[string]any{}
		for k, v := range n.Entries() {
			out[strings.Clone(k.Field())] = v.Decode()
		}
		return out
	case n.IsSeq():
		out := []any{}
		for item := range n.Items() {
			out = append(out, item.Decode())
		}
		return out
	}
	switch t, text := n.TypeAndText(); t {
	case Null:
		return nil
	case Bool:
		return n.IsTrue()
	case Number:
		return numberOf(text)
	default:
		return strings.Clone(text)
	}
}

// numberOf returns a number of YAML, which may be one that JSON does not have.
func numberOf(text string) any {
	if json.Valid([]byte(text)) {
		return json.Number(strings.Clone(text))
	}
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	return strings.Clone(text)
}
