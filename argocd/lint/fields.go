package lint

import (
	"maps"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
)

// fieldShapes returns the shapes of the fields of Argo CD's objects by the names of types, which of objects are kinds.
var fieldShapes = sync.OnceValue(func() map[string]*shape {
	all := map[string]*shape{"any": anyShape, "text": {is: text}, "truth": truthShape, "number": {is: number}}
	family := map[string]bool{}
	named := func(name string) *shape {
		if all[name] == nil {
			all[name] = &shape{is: mapping, fields: map[string]*shape{}, family: family}
		}
		return all[name]
	}
	for name, list := range argocd.FieldTypes() {
		of := named(name)
		for _, f := range list {
			of.fields[f.Name], family[f.Name] = shapeOf(f.Type, named), true
		}
	}
	return all
})

// shapeOf returns the shape of a type as a field has it, by those of types with names.
func shapeOf(typ string, named func(name string) *shape) *shape {
	switch {
	case strings.HasPrefix(typ, "[]"):
		return &shape{is: list, item: named(typ[2:])}
	case strings.HasPrefix(typ, "{}"):
		return &shape{is: mapping, item: named(typ[2:])}
	}
	return named(typ)
}

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

// objectKeys checks the keys of an object, of which those of sources may have been checked already.
func (c *checker) objectKeys(root *yaml.Node, kind string) {
	for _, generator := range items(get(root, "spec", "generators")) {
		for i := 0; i < len(generator.Content); i += 2 {
			c.unknown[generator.Content[i]] = true // who reads the generators names one that it does not know
		}
	}
	c.check(root, objectShape(maps.Clone(fieldShapes()[kind].fields)), "", names|newer)
}

// sourceShape returns what Argo CD reads of a source that names a plugin.
var sourceShape = sync.OnceValue(func() *shape {
	of := fieldShapes()["Application"].field("spec", "source")
	out := &shape{is: mapping, fields: map[string]*shape{}}
	for _, name := range argocd.SourceFields() {
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
})
