package redact

import (
	"strings"
)

// Place is where objects hold values that are secrets, outside of Secrets.
type Place struct {
	At       []string // fields from the object; "*" is each item of a list
	Fields   []string // what stands in them there is secret
	Literals bool     // but for texts that hold a template action
}

// HideValues replaces the values of a Kubernetes object, decoded from YAML, that are secrets outside of Secrets: those
// at the places of its kind, and those whose names read like it, such as connection details, variables of containers,
// parameters, values of charts and keys of ConfigMaps; and in each text what HideInText hides. hide returns what stands
// for a value that is no mapping and no list.
func HideValues(object map[string]any, places []Place, hide func(value any) string) {
	h := hider{hide}
	for i := range places {
		h.place(object, &places[i], places[i].At)
	}
	if object["kind"] == "ConfigMap" {
		for _, field := range []string{"data", "binaryData"} {
			h.hideKeys(object[field])
		}
	}
	h.walk(object)
}

// hider goes through an object that it changes.
type hider struct{ hide func(any) string }

// place hides what stands at a place, from a value that lies before the rest of the path to it.
func (h hider) place(v any, p *Place, rest []string) {
	switch v := v.(type) {
	case []any:
		if len(rest) > 0 && rest[0] == "*" {
			for _, item := range v {
				h.place(item, p, rest[1:])
			}
		}
	case map[string]any:
		switch {
		case len(rest) > 0:
			h.place(v[rest[0]], p, rest[1:])
		case p.Literals:
			h.literals(v, p.Fields...)
		default:
			h.fields(v, p.Fields...)
		}
	}
}

// walk hides values by their names: of a variable, parameter or header, which stands beside "name", of connection
// details, and anywhere below the values of a chart.
func (h hider) walk(v any) {
	switch v := v.(type) {
	case []any:
		h.walkItems(v)
	case map[string]any:
		name, _ := v["name"].(string)
		if IsSecretName(name) {
			h.fields(v, "value")
		}
		for field, below := range v {
			switch field {
			case "connectionDetails":
				for _, entry := range list(v, field) {
					detail, _ := entry.(map[string]any)
					h.fields(detail, "value")
				}
			case "headers", "httpHeaders", "values", "valuesObject", "valuesInline", "valuesContent":
				v[field] = h.hideNamed(below)
			}
			if text, is := v[field].(string); is {
				v[field] = HideInText(text, h.hide)
			}
			h.walk(v[field])
		}
	}
}

// walkItems does so in a list, where an argument may be the value of the flag before it.
func (h hider) walkItems(items []any) {
	isFlag := false
	for i, item := range items {
		text, is := item.(string)
		switch {
		case !is:
			h.walk(item)
		case isFlag && !strings.HasPrefix(text, "-"):
			items[i] = h.all(text)
		default:
			items[i] = HideInText(text, h.hide)
		}
		isFlag = is && strings.HasPrefix(text, "-") && !strings.ContainsAny(text, "= \t\n") && IsSecretName(text)
	}
}

// hideKeys hides what stands under keys that read like a secret's.
func (h hider) hideKeys(v any) {
	values, _ := v.(map[string]any)
	for key := range values {
		if IsSecretName(key) {
			h.fields(values, key)
		}
	}
}

// hideNamed returns a value in which what stands under a name that reads like a secret's is hidden. A text in YAML is
// hidden as a whole where it holds such a name.
func (h hider) hideNamed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for field, below := range v {
			if _, deep := below.(map[string]any); !deep && IsSecretName(field) && !isList(below) {
				h.fields(v, field)
			} else {
				v[field] = h.hideNamed(below)
			}
		}
	case []any:
		for i, item := range v {
			v[i] = h.hideNamed(item)
		}
	case string:
		for line := range strings.Lines(v) {
			name, value, ok := strings.Cut(strings.TrimLeft(line, " -"), ":")
			if ok && IsSecretName(strings.Trim(name, `"' `)) && strings.TrimSpace(value) != "" {
				return h.hide(v)
			}
		}
	}
	return v
}

// fields hides what stands in fields, if anything does.
func (h hider) fields(in map[string]any, names ...string) {
	for _, name := range names {
		if v, ok := in[name]; ok {
			in[name] = h.all(v)
		}
	}
}

// all returns a value with everything in it hidden but the names of fields.
func (h hider) all(v any) any {
	switch v := v.(type) {
	case nil, bool:
		return v
	case map[string]any:
		for field, below := range v {
			v[field] = h.all(below)
		}
		return v
	case []any:
		for i, item := range v {
			v[i] = h.all(item)
		}
		return v
	case string:
		if v == "" {
			return v
		}
	}
	return h.hide(v)
}

// literals hides texts in fields, or below them, that hold no template action.
func (h hider) literals(in map[string]any, names ...string) {
	for _, name := range names {
		switch v := in[name].(type) {
		case string:
			if !strings.Contains(v, "{{") {
				h.fields(in, name)
			}
		case map[string]any:
			for field := range v {
				h.literals(v, field)
			}
		}
	}
}

func list(in map[string]any, field string) []any {
	items, _ := in[field].([]any)
	return items
}

func isList(v any) bool {
	_, is := v.([]any)
	return is
}
