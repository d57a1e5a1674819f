package lint

import (
	_ "embed"
	"maps"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// fieldTypes lists the types of the fields of Argo CD's objects.
//
//go:embed fields.txt
var fieldTypes string

// fieldShapes returns the shapes of the types in the list by their names, which of objects are their kinds.
var fieldShapes = sync.OnceValue(func() map[string]*shape {
	all := map[string]*shape{"any": anyShape, "text": {is: text}, "truth": truthShape, "number": {is: number}}
	named := func(name string) *shape {
		if all[name] == nil {
			all[name] = &shape{is: mapping, fields: map[string]*shape{}}
		}
		return all[name]
	}
	var of *shape
	for line := range strings.Lines(fieldTypes) {
		line = strings.TrimSuffix(line, "\n")
		name, typ, isField := strings.Cut(strings.TrimPrefix(line, " "), " ")
		switch {
		case strings.HasPrefix(line, "#"):
		case !isField:
			of = named(name)
		case strings.HasPrefix(typ, "[]"):
			of.fields[name] = &shape{is: list, item: named(typ[2:])}
		case strings.HasPrefix(typ, "{}"):
			of.fields[name] = &shape{is: mapping, item: named(typ[2:])}
		default:
			of.fields[name] = named(typ)
		}
	}
	return all
})

// field returns the shape of what lies at a path of fields, through lists.
func (s *shape) field(path ...string) *shape {
	for _, name := range path {
		if s = s.fields[name]; s.is == list {
			s = s.item
		}
	}
	return s
}

// objectTypes checks the types of an object's fields, which the API server refuses where they are others.
func (c *checker) objectTypes(root *yaml.Node, kind string) {
	c.check(root, fieldShapes()[kind], "", types)
}

// sourceShape returns what Argo CD reads of a source that names a plugin.
func sourceShape() *shape {
	of := fieldShapes()["Application"].field("spec", "source")
	out := &shape{is: mapping, fields: map[string]*shape{}}
	for name := range of.fields {
		out.fields[name] = anyShape
	}
	plugin := *of.field("plugin")
	plugin.legacy = map[string]string{"params": "it is called parameters", "values": "it is a parameter of that name"}
	parameter := *of.field("plugin", "parameters")
	parameter.legacy = map[string]string{"value": "a text goes to string"}
	plugin.fields = maps.Clone(plugin.fields)
	plugin.fields["parameters"] = &shape{is: list, item: &parameter}
	out.fields["plugin"] = &plugin
	return out
}
