// Package typed decodes documents as kubectl and the engines' controllers do, for what reads its own kinds of objects.
package typed

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
)

// Object is one Kubernetes object, decoded as kubectl does.
type Object struct {
	Fields      map[string]any
	Kind, Group string
	Pos         diag.Position
	Repeated    *Repeated // the first key that its document has twice in one mapping; nil where it has none
}

// Repeated is a key that is written twice in one mapping. The later one counts where that is no error.
type Repeated struct {
	Key string
	Pos diag.Position // of the later one
}

// Fail returns the error of a key where it is one, about an object.
func (r Repeated) Fail(object string) error {
	return &diag.Error{Exit: diag.ExitInput, Object: object, Pos: r.Pos,
		Err: fmt.Errorf("read: key %s is written twice in one mapping", diag.Quote(r.Key)), Hint: "Remove one of the two."}
}

// FindRepeated returns the first key of a document, in a file with these lines, that is written twice in one mapping;
// nil where none is.
func FindRepeated(d *manifest.Document, file string, lines *manifest.Lines) *Repeated {
	for _, n := range d.Duplicates() {
		return &Repeated{Key: n.Text(), Pos: diag.Position{File: file, Line: lines.At(n.Offset())}}
	}
	return nil
}

// Wanted reports whether the objects of a kind are decoded.
type Wanted func(group, kind string) bool

// Read returns the objects of a file.
func Read(system files.System, path string) ([]Object, error) {
	text, err := files.OrDisk(system).ReadFile(path)
	if err != nil {
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), "")
	}
	return Parse(text, path)
}

// Parse returns the objects of a text. Their positions have the name as their file.
func Parse(text []byte, name string) ([]Object, error) { return ParseOnly(text, name, nil) }

// ParseOnly is Parse for the documents that hold an object of a wanted kind; the others are not decoded, and what is
// wrong in them is no error unless it hides what they are. Nil wants all.
func ParseOnly(text []byte, name string, isWanted Wanted) ([]Object, error) {
	var out []Object
	lines := manifest.NewLines(text)
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		if !d.Root().Valid() || isWanted != nil && !holds(d, isWanted) {
			continue
		}
		pos := diag.Position{File: name, Line: lines.At(d.Root().Offset())}
		whole, err := decodeYAML(d, name)
		if err != nil {
			return nil, err
		}
		repeated := FindRepeated(d, name, lines)
		for _, o := range items(whole, pos) {
			o.Repeated = repeated
			out = append(out, o)
		}
	}
	return out, nil
}

// holds reports whether a document holds an object of a wanted kind.
func holds(d *manifest.Document, isWanted Wanted) bool {
	for o := range d.Objects() {
		if isWanted(o.Group(), o.Kind) {
			return true
		}
	}
	return false
}

// decodeYAML decodes a document by the rules of YAML 1.1, and then as JSON. Kubernetes' library refuses some that our
// reader takes, as one with a tab before a comment within a list.
func decodeYAML(d *manifest.Document, name string) (any, error) {
	b, err := yaml.YAMLToJSON(d.Body())
	if err != nil {
		return nil, d.LibraryError(name, err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		pos := diag.Position{File: name, Line: manifest.NewLines(d.Text()).At(d.Root().Offset())}
		return nil, diag.Input(pos, errors.New("parse YAML: it cannot be read as JSON"), "")
	}
	return out, nil
}

// items returns a document's objects: itself, or the items of a List.
func items(value any, pos diag.Position) []Object {
	m, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	kind, _ := m["kind"].(string)
	version, _ := m["apiVersion"].(string)
	if list, ok := m["items"].([]any); ok && strings.HasSuffix(kind, "List") {
		var out []Object
		for _, item := range list {
			out = append(out, items(item, pos)...)
		}
		return out
	}
	if kind == "" {
		return nil
	}
	g, _, _ := strings.Cut(version, "/")
	return []Object{{Fields: m, Kind: kind, Group: g, Pos: pos}}
}

// CheckName refuses names that no Kubernetes object can have and that could be another path.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("metadata.name is empty")
	case strings.ContainsAny(name, "/\\\x00 \n") || name == "." || name == "..":
		return fmt.Errorf("metadata.name %q is not the name of an object", name)
	}
	return nil
}

// Decode converts what was decoded from YAML or JSON to a struct. Its errors name the field and not the value.
func Decode(from, to any) error {
	b, err := json.Marshal(from)
	if err != nil {
		return errors.New("it cannot be written as JSON")
	}
	err = json.Unmarshal(b, to)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		kind, _, _ := strings.Cut(wrong.Value, " ") // the number itself may follow
		wrong.Field = writtenPath(wrong.Field)
		if key := keyOf(from, wrong.Field, kind); key != "" {
			return fmt.Errorf("%s.%s is a %s, which it must not be: put it in quotes", wrong.Field, key, kind)
		}
		if wrong.Type.Kind() == reflect.String && (kind == "bool" || kind == "number") {
			return fmt.Errorf("%s is a %s, which it must not be: put it in quotes", wrong.Field, kind)
		}
		return fmt.Errorf("%s is a %s, which it must not be%s", wrong.Field, cmp.Or(kinds[kind], kind),
			expected(wrong.Type.Kind()))
	}
	return err
}

// expected returns what a field takes, as a next step; "" where that is a text.
func expected(kind reflect.Kind) string {
	switch kind {
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
func writtenPath(path string) string {
	fields := strings.Split(path, ".")
	last := fields[len(fields)-1]
	written := slices.DeleteFunc(fields, func(f string) bool { return f != last && f != "" && f[0] >= 'A' && f[0] <= 'Z' })
	return strings.Join(written, ".")
}

// kinds are words for what the JSON library calls otherwise.
var kinds = map[string]string{"object": "mapping", "array": "list", "string": "text"}

// keyOf returns the first key of a mapping of texts, at a path of fields, that has a boolean or a number; "" where
// there is no such mapping.
func keyOf(from any, path, kind string) string {
	for _, field := range strings.Split(path, ".") {
		at, ok := from.(map[string]any)
		if !ok {
			return ""
		}
		from = at[field]
	}
	at, _ := from.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(at)) {
		is := "string"
		switch at[key].(type) {
		case bool:
			is = "bool"
		case int, int64, uint64, float64, json.Number:
			is = "number"
		}
		if is == kind && is != "string" {
			return key
		}
	}
	return ""
}
