package redact

import (
	"fmt"
	"strings"
)

// Place is where objects hold values that are secrets, outside of Secrets.
type Place struct {
	At       []string // fields from the object; "*" is each item of a list
	Fields   []string // what stands in them there is secret
	Literals bool     // but for the actions in texts that are templates
}

// HideValues replaces the values of a Kubernetes object, decoded from YAML, that are secrets outside of Secrets: those
// at the places of its kind, and those whose names read like it, such as connection details, variables of containers,
// parameters, values of charts, keys of ConfigMaps, annotations and fields; those of a Secret that is a part of the
// object; and in each text what HideInText hides. What only refers to a secret stays, and so do the values of an object
// that is a Secret. hide returns what stands for a value that is no mapping and no list.
func HideValues(object map[string]any, places []Place, hide func(value any) string) {
	h := hider{hide: hide, isDefinition: object["kind"] == "CustomResourceDefinition"}
	h.hideCopied(object)
	for i := range places {
		h.place(object, &places[i], places[i].At)
	}
	switch object["kind"] {
	case "ConfigMap":
		for _, field := range []string{"data", "binaryData"} {
			h.hideKeys(object[field], IsSecretName)
		}
	case "SecretProviderClass": // its objects name keys
		parameters := tableAt(object, "spec", "parameters")
		if text, is := parameters["objects"].(string); is {
			defer func() { parameters["objects"] = text }()
		}
	case "Secret":
		if !isOfGroup(object) {
			h.walk(object["metadata"])
			return
		}
	}
	h.walk(object)
}

func tableAt(v any, names ...string) map[string]any {
	for _, name := range names {
		table, _ := v.(map[string]any)
		v = table[name]
	}
	table, _ := v.(map[string]any)
	return table
}

// hider goes through an object that it changes.
type hider struct {
	hide         func(any) string
	isDefinition bool // of a kind, which has descriptions of its fields
}

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
// details, of annotations and fields, and anywhere below the values of a chart.
func (h hider) walk(v any) {
	switch v := v.(type) {
	case []any:
		h.walkItems(v, programOf(v))
	case map[string]any:
		h.hideEmbedded(v)
		h.hidePatch(v)
		h.hideEntry(v)
		program := programOf(v["command"])
		if v["command"] == nil {
			program = programOfImage(v["image"])
		}
		for field, below := range v {
			if field == "labels" {
				h.hideLabels(below)
				continue
			}
			if h.isDefinition && field == "description" {
				continue
			}
			if items, is := below.([]any); is && field == "args" && program != "" {
				command, _ := v["command"].([]any)
				h.walkItems(items, program, command...)
				continue
			}
			if isKeyTable(field) {
				h.keysBelow(below)
			}
			if IsSecretName(field) {
				h.hideInline(field, below)
			}
			v[field] = h.field(field, below)
			h.walk(v[field])
		}
	}
}

// field returns the value of a field with what its name says is secret hidden.
func (h hider) field(name string, v any) any {
	switch name {
	case "connectionDetails":
		details, _ := v.([]any)
		for _, entry := range details {
			detail, _ := entry.(map[string]any)
			h.fields(detail, "value")
		}
	case "headers", "httpHeaders", "values", "valuesObject", "valuesInline", "valuesContent", "substitute":
		v = h.hideNamed(v)
	case "annotations":
		h.hideKeys(v, isSecretNote)
	case "secureJsonData", "secureSettings":
		return h.all(v)
	case "stringData": // of a Secret, whose kind may be elsewhere
		if table, is := v.(map[string]any); is && !isSchema(table) {
			return h.all(v)
		}
	}
	switch below := v.(type) {
	case string:
		if isImage(name, below) || name == "name" && !strings.ContainsAny(below, " =@\n") {
			return below
		}
		if isValueName(name) && !strings.Contains(below, "{{") && isNamed(name, below) {
			return h.all(below)
		}
		return HideInText(below, h.hide)
	case int, int64, float64:
		if isValueName(name) && !isAmount(name, fmt.Sprint(below)) {
			return h.all(below)
		}
	case []any:
		if isListName(name) {
			return h.all(below)
		}
	}
	return v
}

// hideNamed returns a value in which what stands under a name that reads like a secret's is hidden, and so are
// those in a text in YAML.
func (h hider) hideNamed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for field, below := range v {
			v[field] = h.namedField(field, below)
		}
	case []any:
		for i, item := range v {
			v[i] = h.hideNamed(item)
		}
	case string:
		return h.hideInValues(v)
	}
	return v
}

func (h hider) namedField(name string, v any) any {
	switch below := v.(type) {
	case map[string]any:
		if isSecretTable(name) {
			h.hideBelow(below)
		}
	case []any:
		if isListName(name) {
			return h.all(below)
		}
	default:
		if IsSecretName(name) {
			return h.named(name, below)
		}
	}
	return h.hideNamed(v)
}

// hideBelow hides what stands in a table of secrets, but for what names one or where it is.
func (h hider) hideBelow(table map[string]any) {
	for field, v := range table {
		switch below := v.(type) {
		case map[string]any:
			if !isReferenceName(field) {
				h.hideBelow(below)
			}
		case []any:
		default:
			if !isReferenceName(field) {
				table[field] = h.all(below)
			}
		}
	}
}

// fields hides what stands in fields, if anything does.
func (h hider) fields(in map[string]any, names ...string) {
	for _, name := range names {
		if v, ok := in[name]; ok {
			in[name] = h.all(v)
		}
	}
}

// named returns what stands under the name of a secret, with everything in it hidden where that is not plain.
func (h hider) named(name string, v any) any {
	switch v.(type) {
	case int, int64, float64:
		if isAmount(name, fmt.Sprint(v)) {
			return v
		}
	}
	if text, is := v.(string); is && isPlainFor(name, text) {
		return text
	}
	return h.all(v)
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
