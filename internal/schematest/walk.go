package schematest

import (
	"reflect"
	"strings"
)

// Amend changes the schema of a struct's field.
type Amend func(of reflect.Type, f reflect.StructField, schema map[string]any)

// Schema returns the schema of a type as encoding/json writes it, with what the code says of it. Fields may be added
// within a version, so others are allowed.
func (s Source) Schema(kind reflect.Type, amend Amend) map[string]any {
	switch kind.Kind() {
	case reflect.Pointer:
		return s.Schema(kind.Elem(), amend)
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.Schema(kind.Elem(), amend)}
	case reflect.String:
		out := map[string]any{"type": "string"}
		if values := s.Words[kind.Name()]; len(values) > 0 && kind.PkgPath() != "" {
			out["enum"] = values
		}
		return out
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	}
	properties, required := map[string]any{}, []string{}
	s.fields(kind, amend, properties, &required)
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// fields adds the fields of a struct.
func (s Source) fields(kind reflect.Type, amend Amend, properties map[string]any, required *[]string) {
	for f := range kind.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
			continue // it is not written
		case f.Anonymous:
			s.fields(f.Type, amend, properties, required)
			continue
		case !f.IsExported():
			continue
		}
		one := s.Schema(f.Type, amend)
		if text := s.Comments[kind.Name()+"."+f.Name]; text != "" {
			one["description"] = text
		}
		if amend != nil {
			amend(kind, f, one)
		}
		properties[name] = one
		if options != "omitempty" {
			*required = append(*required, name)
		}
	}
}
