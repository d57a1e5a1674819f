package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Change is what became of something.
type Change string

// The changes.
const (
	Addition     Change = "added"
	Removal      Change = "removed"
	Modification Change = "changed"
	Reordering   Change = "reordered" // a list holds the same items in another order
)

// FieldChange is a place in an object that is not what it was.
type FieldChange struct {
	Path   string `json:"path"` // as people write it: spec.template.spec.containers[api].image
	Change Change `json:"change"`
	From   string `json:"from,omitempty"` // text as it is, everything else as JSON; cut where it is long
	To     string `json:"to,omitempty"`
	Hidden bool   `json:"hidden,omitempty"` // a value of a Secret: it is not the same, and no more is shown
}

// longest is how much of a value a report holds, in bytes.
const longest = 4096

// fields returns the differences of two values as the fewest places that name them all, sorted as the fields are.
func fields(path string, from, to any) []FieldChange {
	if a, ok := from.(map[string]any); ok {
		if b, ok := to.(map[string]any); ok {
			return tables(path, a, b)
		}
	}
	if a, ok := from.([]any); ok {
		if b, ok := to.([]any); ok {
			return lists(path, a, b)
		}
	}
	if reflect.DeepEqual(from, to) {
		return nil
	}
	return []FieldChange{change(path, Modification, from, to)}
}

func tables(path string, from, to map[string]any) []FieldChange {
	var out []FieldChange
	for _, key := range slices.Sorted(maps.Keys(union(from, to))) {
		a, had := from[key]
		b, has := to[key]
		below := join(path, key)
		switch {
		case !had && apart[key]:
			out = append(out, fields(below, map[string]any{}, b)...)
		case !has && apart[key]:
			out = append(out, fields(below, a, map[string]any{})...)
		case !had:
			out = append(out, change(below, Addition, nil, b))
		case !has:
			out = append(out, change(below, Removal, a, nil))
		default:
			out = append(out, fields(below, a, b)...)
		}
	}
	return out
}

// apart are mappings whose entries are listed one by one where all of it is added or removed.
var apart = map[string]bool{"annotations": true, "labels": true, "data": true, "binaryData": true, "stringData": true}

// lists compares lists whose items have names by these, and others place by place.
func lists(path string, from, to []any) []FieldChange {
	if reflect.DeepEqual(from, to) {
		return nil
	}
	a, namedFrom := named(from)
	b, namedTo := named(to)
	if !namedFrom || !namedTo {
		return places(path, from, to)
	}
	var out []FieldChange
	for _, name := range order(a, b) {
		below := path + "[" + name + "]"
		x, had := a.items[name]
		y, has := b.items[name]
		switch {
		case !had:
			out = append(out, change(below, Addition, nil, y))
		case !has:
			out = append(out, change(below, Removal, x, nil))
		default:
			out = append(out, fields(below, x, y)...)
		}
	}
	if len(out) == 0 {
		out = append(out, FieldChange{Path: path, Change: Reordering, From: strings.Join(a.names, ", "),
			To: strings.Join(b.names, ", ")})
	}
	return out
}

func places(path string, from, to []any) []FieldChange {
	if len(from) == len(to) && sameItems(from, to) {
		return []FieldChange{{Path: path, Change: Reordering, From: show(from), To: show(to)}}
	}
	var out []FieldChange
	for i := range max(len(from), len(to)) {
		below := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i >= len(from):
			out = append(out, change(below, Addition, nil, to[i]))
		case i >= len(to):
			out = append(out, change(below, Removal, from[i], nil))
		default:
			out = append(out, fields(below, from[i], to[i])...)
		}
	}
	return out
}

func sameItems(from, to []any) bool {
	count := map[string]int{}
	for _, v := range from {
		count[show(v)]++
	}
	for _, v := range to {
		count[show(v)]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// byItem is a list as a mapping from its items' names to the items.
type byItem struct {
	names []string
	items map[string]any
}

// handles are the fields that identify the items of Kubernetes' lists. The first that all items have and no two share
// counts.
var handles = [][]string{{"name"}, {"mountPath"}, {"containerPort", "protocol"}, {"port", "protocol"},
	{"topologyKey"}, {"key", "operator", "effect"}, {"host"}, {"path"}, {"secretKey"}, {"type"}}

// named reports whether a handle identifies the items of a list.
func named(list []any) (byItem, bool) {
	for _, handle := range handles {
		out := byItem{items: make(map[string]any, len(list))}
		for _, v := range list {
			name, ok := handleOf(v, handle)
			if _, taken := out.items[name]; !ok || taken {
				break
			}
			out.names = append(out.names, name)
			out.items[name] = v
		}
		if len(out.names) == len(list) {
			return out, true
		}
	}
	return byItem{}, false
}

func handleOf(v any, handle []string) (string, bool) {
	table, ok := v.(map[string]any)
	if !ok {
		return "", false
	}
	var parts []string
	for i, field := range handle {
		value, has := table[field]
		if _, deep := value.(map[string]any); deep || !has && i == 0 {
			return "", false
		}
		switch {
		case has:
			parts = append(parts, fmt.Sprint(value))
		case field == "protocol":
			parts = append(parts, "TCP") // the default
		}
	}
	return strings.Join(parts, "/"), true
}

// order returns the names of both lists, those of the new one first.
func order(from, to byItem) []string {
	out := slices.Clone(to.names)
	for _, name := range from.names {
		if _, both := to.items[name]; !both {
			out = append(out, name)
		}
	}
	return out
}

func change(path string, c Change, from, to any) FieldChange {
	f := FieldChange{Path: path, Change: c}
	if isHidden(from) || isHidden(to) || guessable(path, from) || guessable(path, to) {
		f.Hidden = true
		return f
	}
	if c != Addition {
		f.From = show(from)
	}
	if c != Removal {
		f.To = show(to)
	}
	return f
}

// isHidden reports whether a value is hidden, or holds what is.
func isHidden(v any) bool {
	switch v := v.(type) {
	case hidden:
		return true
	case map[string]any:
		for _, below := range v {
			if isHidden(below) {
				return true
			}
		}
	}
	return false
}

// join adds a key to a path, in quotes where a dot in it would mislead.
func join(path, key string) string {
	if strings.ContainsAny(key, "./[] ") || key == "" {
		return path + "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func show(v any) string {
	text, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			return "?"
		}
		text = string(b)
	}
	return cut(withoutGuessable(text), longest)
}

// cut shortens a text to n bytes, between characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}
