package diff

import (
	"cmp"
	"fmt"
)

// placeOfKind returns the first place below a value that fields lead to, through all items of lists, and that holds a
// kind of JSON's, and of numbers this one where it is not "".
func placeOfKind(v any, fields []string, kind, number string) (path string, ok bool) {
	if list, isList := v.([]any); isList && (len(fields) > 0 || kind != "array") {
		for i, item := range list {
			if below, ok := placeOfKind(item, fields, kind, number); ok {
				name, _ := handleOf(item, nameHandle)
				return "[" + cmp.Or(name, fmt.Sprint(i)) + "]" + below, true
			}
		}
		return "", false
	}
	if len(fields) == 0 {
		return "", kindOf(v) == kind && (number == "" || fmt.Sprint(v) == number)
	}
	table, _ := v.(map[string]any)
	below, ok := placeOfKind(table[fields[0]], fields[1:], kind, number)
	return "." + fields[0] + below, ok
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
