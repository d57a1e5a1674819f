package typed

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// FieldError is the error of a field that has another type than it must have.
type FieldError struct {
	path []any // keys, and indices of lists
	text string
}

// Error names the field and not its value.
func (e *FieldError) Error() string { return e.text }

// Decode converts what was decoded from YAML or JSON to a struct: all of it, or what lies at a path of keys. Its errors
// name the field, from there on, and not the value.
func Decode(from, to any, at ...string) error {
	for _, key := range at {
		m, _ := from.(map[string]any)
		from = m[key]
	}
	b, err := json.Marshal(from)
	if err != nil {
		return errors.New("it cannot be written as JSON")
	}
	err = json.Unmarshal(b, to)
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	kind, _, _ := strings.Cut(wrong.Value, " ") // the number itself may follow
	fields := writtenPath(wrong.Field)
	if key := keyOf(from, fields, kind); key != "" {
		fields = append(fields, key)
	}
	want := wrong.Type.Kind()
	text := strings.Join(fields, ".") + " is a " + cmp.Or(kinds[kind], kind) + ", which it must not be" +
		expected(want, kind)
	path := pathOf(from, fields, kind, want == reflect.Slice)
	for _, key := range slices.Backward(at) {
		if path != nil {
			path = append([]any{key}, path...)
		}
	}
	return &FieldError{path, text}
}

// pathOf returns the path of the first value of a kind at a path of fields, which lead through lists, too: of a list or
// of an item of one. It is nil where there is none.
func pathOf(from any, fields []string, kind string, isList bool) []any {
	if list, ok := from.([]any); ok && (len(fields) > 0 || !isList && kind != "array") {
		for i, item := range list {
			if below := pathOf(item, fields, kind, isList); below != nil {
				return append([]any{i}, below...)
			}
		}
		return nil
	}
	if len(fields) == 0 {
		if kindOf(from) != kind {
			return nil
		}
		return []any{}
	}
	m, _ := from.(map[string]any)
	value, ok := m[fields[0]]
	if !ok {
		return nil
	}
	if below := pathOf(value, fields[1:], kind, isList); below != nil {
		return append([]any{fields[0]}, below...)
	}
	return nil
}

// expected returns what a field takes, as a next step; "" where that is a text and no quotes make it one.
func expected(want reflect.Kind, is string) string {
	switch want {
	case reflect.String:
		if is == "bool" || is == "number" {
			return ": put it in quotes"
		}
	case reflect.Bool:
		return ": write true or false, without quotes"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64:
		return ": write a number, without quotes"
	case reflect.Slice:
		return ": write a list, each item behind a dash"
	case reflect.Map, reflect.Struct, reflect.Pointer:
		return ": write a mapping, as KEY: VALUE"
	}
	return ""
}

// writtenPath returns a path of fields as a manifest writes it: without embedded types, which begin in upper case.
func writtenPath(path string) []string {
	fields := strings.Split(path, ".")
	last := fields[len(fields)-1]
	return slices.DeleteFunc(fields, func(f string) bool { return f != last && f != "" && f[0] >= 'A' && f[0] <= 'Z' })
}

// kinds are words for what the JSON library calls otherwise.
var kinds = map[string]string{"object": "mapping", "array": "list", "string": "text"}

// keyOf returns the first key of a mapping of texts, at a path of fields, that has a boolean or a number; "" where
// there is no such mapping.
func keyOf(from any, fields []string, kind string) string {
	for _, field := range fields {
		at, ok := from.(map[string]any)
		if !ok {
			return ""
		}
		from = at[field]
	}
	at, _ := from.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(at)) {
		if is := kindOf(at[key]); is == kind && (is == "bool" || is == "number") {
			return key
		}
	}
	return ""
}

// kindOf returns what the JSON library calls a value.
func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "bool"
	case int, int64, uint64, float64, json.Number:
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return ""
}

// At returns what lies at a path of keys and of places in lists, in the fields of an object; nil where nothing does.
func At(v any, path []any) any {
	for _, step := range path {
		switch in := v.(type) {
		case map[string]any:
			key, _ := step.(string)
			v = in[key]
		case []any:
			i, is := step.(int)
			if !is || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// Locate returns an error of reading the object at the line of the field that it is about, if it is about one. What was
// decoded lies at a path of keys in the object.
func (o Object) Locate(err error, at ...string) error {
	known, ok := err.(*diag.Error) //nolint:errorlint // what wraps it says more
	var field *FieldError
	if !ok || known.Pos != o.Pos || !errors.As(err, &field) {
		return err
	}
	path := make([]any, 0, len(at)+len(field.path))
	for _, key := range at {
		path = append(path, key)
	}
	if line := o.Line(append(path, field.path...)); line > 0 && len(field.path) > 0 {
		located := *known
		located.Pos.Line = line
		return &located
	}
	return err
}

// Line returns the line of the key or item at a path of keys and of places in lists; 0 where it is not written there.
func (o Object) Line(path []any) int {
	for d, err := range manifest.Documents(o.text, o.Pos.File) {
		if err != nil {
			break
		}
		if d.Start != o.start {
			continue
		}
		if offset, found := offsetOf(o.in(d), path); found {
			return manifest.NewLines(o.text).At(offset)
		}
	}
	return 0
}

// in returns the object's node in its document.
func (o Object) in(d *manifest.Document) manifest.Node {
	n := d.Root()
	for _, i := range o.items {
		n = n.Get("items").Item(i)
	}
	return n
}

// offsetOf returns where the key or item at a path is written.
func offsetOf(n manifest.Node, path []any) (offset int, found bool) {
	for _, step := range path {
		before := n
		switch step := step.(type) {
		case int:
			n = n.Item(step)
			offset = n.Offset()
		case string:
			n = n.Get(step)
			offset = n.Offset()
			if key, _ := before.OwnEntry(step); key.Valid() {
				offset = key.Offset()
			}
		}
		if !n.Valid() {
			return 0, false
		}
	}
	return offset, len(path) > 0
}
