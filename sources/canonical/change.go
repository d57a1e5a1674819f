package canonical

import (
	"slices"
	"strings"
)

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
