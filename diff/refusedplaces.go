package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// placeUnread returns the first value below a path that cannot be read as what a type has there, and why.
func placeUnread(path string, v any, t reflect.Type) refusal {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch value := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if below, ok := typeUnder(t, key); ok && !canRead(value[key], below) {
				return placeUnread(join(path, key), value[key], below)
			}
		}
	case []any:
		for i, item := range value {
			if t.Kind() == reflect.Slice && !canRead(item, t.Elem()) {
				name, _ := handleOf(item, nameHandle)
				return placeUnread(itemPath(path, cmp.Or(name, fmt.Sprint(i))), item, t.Elem())
			}
		}
	case string:
		if t == reflect.TypeFor[resource.Quantity]() {
			return refusal{path, "it is no quantity"}
		}
		if t.Kind() == reflect.Struct {
			return refusal{path, "it cannot be read"}
		}
	}
	return refusal{path, "it takes no " + kindOf(v)}
}

// canRead reports whether a value can be read as a type.
func canRead(v any, t reflect.Type) bool {
	text, err := json.Marshal(v)
	return err == nil && json.Unmarshal(text, reflect.New(t).Interface()) == nil
}

// typeUnder returns the type that a mapping or a struct has under a key; not ok where it has none.
func typeUnder(t reflect.Type, key string) (reflect.Type, bool) {
	switch t.Kind() {
	case reflect.Map:
		return t.Elem(), true
	case reflect.Struct:
	default:
		return nil, false
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == key {
			return field.Type, true
		}
		if field.Anonymous && name == "" {
			if below, ok := typeUnder(field.Type, key); ok {
				return below, true
			}
		}
	}
	return nil, false
}

// kindOf returns what package json calls a value.
func kindOf(v any) string {
	switch v.(type) {
	case bool:
		return "bool"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case nil:
		return "null"
	}
	return "number"
}
