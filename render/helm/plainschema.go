package helm

import (
	"math"
	"strings"
)

// plainSchema is a schema of JSON that uses nothing but types, properties, items, required names and lists of texts,
// which all drafts read alike, as those of many charts do. The library takes milliseconds to compile a long one.
type plainSchema struct{ root map[string]any }

// newPlainSchema takes a schema as it was parsed. It is not ok where any part of it is not plain, or not a schema.
func newPlainSchema(doc any) (plainSchema, bool) {
	root, ok := doc.(map[string]any)
	if !ok || !isPlainDraft(root["$schema"]) {
		return plainSchema{}, false
	}
	for keyword, value := range root {
		if keyword != "$schema" && !isPlainKeyword(keyword, value) {
			return plainSchema{}, false
		}
	}
	return plainSchema{root}, true
}

// isPlainDraft reports whether a schema that names this draft, or none where it is nil, is read as all others are.
func isPlainDraft(draft any) bool {
	if draft == nil {
		return true
	}
	url, _ := draft.(string)
	switch strings.TrimSuffix(url, "#") {
	case "http://json-schema.org/schema", "http://json-schema.org/draft-04/schema",
		"http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-07/schema",
		"https://json-schema.org/draft/2019-09/schema",
		"https://json-schema.org/draft/2020-12/schema":
		return true
	}
	return false
}

func isPlain(schema any) bool {
	table, ok := schema.(map[string]any)
	if !ok {
		return false
	}
	for keyword, value := range table {
		if !isPlainKeyword(keyword, value) {
			return false
		}
	}
	return true
}

// isPlainKeyword reports whether a keyword is one of those that fits reads or that say nothing about values, with a
// value that it may have.
func isPlainKeyword(keyword string, value any) bool {
	switch keyword {
	case "default", "form", "hidden", "render", "sliderMin", "sliderMax", "sliderUnit": // all but the first of Bitnami's
		return true
	case "title", "description":
		_, ok := value.(string)
		return ok
	case "type":
		if name, ok := value.(string); ok {
			return typeNames[name]
		}
		return areDistinctTexts(value, func(name string) bool { return typeNames[name] })
	case "required", "enum":
		return areDistinctTexts(value, func(string) bool { return true })
	case "items":
		return isPlain(value)
	case "properties":
		table, ok := value.(map[string]any)
		for _, schema := range table {
			ok = ok && isPlain(schema)
		}
		return ok
	}
	return false
}

// typeNames are the types that a schema can name.
var typeNames = map[string]bool{
	"array": true, "boolean": true, "integer": true, "null": true, "number": true, "object": true, "string": true,
}

// areDistinctTexts reports whether list is a list of different texts that are allowed, of one at least.
func areDistinctTexts(list any, allowed func(string) bool) bool {
	elements, _ := list.([]any)
	seen := make(map[string]bool, len(elements))
	for _, element := range elements {
		text, ok := element.(string)
		if !ok || seen[text] || !allowed(text) {
			return false
		}
		seen[text] = true
	}
	return len(elements) > 0
}

// fits reports whether values surely fit the schema. Where it reports false, they may still do.
func (s plainSchema) fits(values map[string]any) bool { return fitsPlain(s.root, values) }

func fitsPlain(schema map[string]any, value any) bool {
	name := typeName(value)
	if types, ok := schema["type"]; name == "" || ok && !isOfType(types, name) {
		return false
	}
	if allowed, ok := schema["enum"].([]any); ok && !containsText(allowed, value) {
		return false
	}
	switch value := value.(type) {
	case map[string]any:
		return tableFits(schema, value)
	case []any:
		items, ok := schema["items"].(map[string]any)
		for _, element := range value {
			if ok && !fitsPlain(items, element) {
				return false
			}
		}
	}
	return true
}

// tableFits reports whether what a table has to hold is there, and what it holds fits.
func tableFits(schema, table map[string]any) bool {
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := table[name.(string)]; !ok {
			return false
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if value, ok := table[name]; ok && !fitsPlain(property.(map[string]any), value) {
			return false
		}
	}
	return true
}

// typeName returns the narrowest type of a value, "" where it is none of JSON's or one that values seldom have.
func typeName(value any) string {
	const exact = 1 << 53 // from here on, and for what is no number, the library decides
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case int64:
		return "integer"
	case float64:
		switch {
		case !(math.Abs(v) < exact):
			return ""
		case v == math.Trunc(v):
			return "integer"
		}
		return "number"
	}
	return ""
}

// isOfType reports whether a value whose narrowest type has this name is of the type, or of one of the list.
func isOfType(types any, name string) bool {
	list, ok := types.([]any)
	if !ok {
		list = []any{types}
	}
	return containsText(list, name) || name == "integer" && containsText(list, "number")
}

// containsText reports whether value is one of the texts in list.
func containsText(list []any, value any) bool {
	want, ok := value.(string)
	for _, text := range list {
		if ok && text == want {
			return true
		}
	}
	return false
}
