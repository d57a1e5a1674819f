package diff

import (
	"slices"
	"strconv"
	"strings"
)

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
	if equal(from, to) {
		return nil
	}
	return []FieldChange{change(path, Modification, from, to)}
}

// equal reports whether two values are the same.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, x := range a {
			if y, has := b[key]; !has || !equal(x, y) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

func tables(path string, from, to map[string]any) []FieldChange {
	var out []FieldChange
	for _, key := range differing(from, to) {
		a, had := from[key]
		b, has := to[key]
		below := join(path, key)
		switch {
		case !had && apart[key]:
			out = append(out, fields(below, map[string]any{}, b)...)
		case !has && apart[key]:
			out = append(out, fields(below, a, map[string]any{})...)
		case !had && holdsVariables(b):
			out = append(out, fields(below, []any{}, b)...)
		case !has && holdsVariables(a):
			out = append(out, fields(below, a, []any{})...)
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

// differing returns the keys of two mappings that have other values, sorted.
func differing(a, b map[string]any) []string {
	var out []string
	for key, x := range a {
		if y, has := b[key]; !has || !equal(x, y) {
			out = append(out, key)
		}
	}
	for key := range b {
		if _, has := a[key]; !has {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

// lists compares lists whose items have names by these, and others by their longest common subsequence.
func lists(path string, from, to []any) []FieldChange {
	if equal(from, to) {
		return nil
	}
	a, namedFrom := nameItems(from)
	b, namedTo := nameItems(to)
	if !namedFrom || !namedTo {
		return sequences(path, from, to)
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

func sequences(path string, from, to []any) []FieldChange {
	a, b := texts(from), texts(to)
	if sameItems(a, b) {
		return []FieldChange{{Path: path, Change: Reordering, From: show(from), To: show(to)}}
	}
	var out []FieldChange
	for _, e := range editsOf(a, b) {
		for _, m := range partners(from[e.a:e.b], to[e.c:e.d]) {
			switch {
			case m.from < 0:
				out = append(out, item(path, Addition, nil, to[e.c+m.to]))
			case m.to < 0:
				out = append(out, item(path, Removal, from[e.a+m.from], nil))
			default:
				below := path + "[" + strconv.Itoa(e.c+m.to) + "]"
				out = append(out, fields(below, from[e.a+m.from], to[e.c+m.to])...)
			}
		}
	}
	return out
}

func texts(list []any) []string {
	out := make([]string, len(list))
	for i, v := range list {
		if text, ok := v.(string); ok {
			out[i] = "s" + text
		} else {
			out[i] = "j" + textOf(v)
		}
	}
	return out
}

func sameItems(from, to []string) bool {
	if len(from) != len(to) {
		return false
	}
	count := map[string]int{}
	for _, v := range from {
		count[v]++
	}
	for _, v := range to {
		if count[v]--; count[v] < 0 {
			return false
		}
	}
	return true
}

// item returns the change of an item of a list that has no counterpart in the other one.
func item(path string, c Change, from, to any) FieldChange {
	f := change(path, c, from, to)
	f.Item = true
	return f
}

func change(path string, c Change, from, to any) FieldChange {
	f := FieldChange{Path: path, Change: c}
	if isHidden(from) || isHidden(to) || isMasked(from) || isMasked(to) || guessable(path, from) || guessable(path, to) {
		f.Hidden = true
		return f
	}
	switch c {
	case Removal:
		f.From = show(from)
	case Modification:
		f.From, f.To = showBoth(from, to)
	case Addition:
		f.To = show(to)
	default:
		f.From, f.To = show(from), show(to)
	}
	a, isText := from.(string)
	b, areText := to.(string)
	switch {
	case f.From == f.To && isText != areText: // "1" and 1
		f.From, f.To = quoted(from, f.From), quoted(to, f.To)
	case isText && areText:
		f.Hunks = hunks(withoutGuessable(a), withoutGuessable(b))
	}
	return f
}

// quoted returns what is shown of a value, in quotes where that is a text.
func quoted(v any, shown string) string {
	if _, isText := v.(string); isText {
		return strconv.Quote(shown)
	}
	return shown
}
