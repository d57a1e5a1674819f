package versions

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// fieldTypes lies beside the package that reads it, whose tests need nothing of Argo CD.
const fieldTypes = "../../../argocd/fields.txt"

const typesHead = `# What the fields of Argo CD's objects hold in the newest version that we support, as their CustomResourceDefinitions
# have it: a kind or a type, and below it its fields, each with its type. A test in e2e/argocd/versions writes this from
# the sources.
`

func TestTheTypesOfFieldsAreThoseOfTheNewestVersion(t *testing.T) {
	newest := source{download(t, versions[len(versions)-1])}
	n := namer{names: map[string]string{}, types: map[string][]string{"Metadata": {"annotations {}text",
		"finalizers []text", "labels {}text", "name text", "namespace text"}}}
	for _, kind := range []string{"Application", "ApplicationSet", "AppProject"} {
		root := newest.schema(t, kind)
		n.types[kind] = []string{"metadata Metadata"}
		for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
			if name == "spec" || name == "operation" {
				n.types[kind] = append(n.types[kind], name+" "+n.of(root.Properties[name], kind, name))
			}
		}
	}
	out := typesHead
	for _, name := range slices.Sorted(maps.Keys(n.types)) {
		out += name + "\n " + strings.Join(n.types[name], "\n ") + "\n"
	}
	if *update {
		if err := os.WriteFile(fieldTypes, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(fieldTypes)
	if err != nil {
		t.Fatal(err)
	}
	if out != string(want) {
		t.Errorf("the sources say otherwise than %s (-update writes it):\n%s", fieldTypes, out)
	}
}

// namer names the types of a schema, each once.
type namer struct {
	names map[string]string   // of the types, by their fields
	types map[string][]string // the fields, by the names of the types
}

// of returns how the list writes the type of what lies at a path.
func (n *namer) of(s schema, path ...string) string {
	switch {
	case s.IntOrString || s.Unknown:
		return "any"
	case s.Type == "array":
		return "[]" + n.of(*s.Items, path...)
	case s.Type == "object" && len(s.Properties) == 0 && s.AdditionalProperties != nil:
		return "{}" + n.of(*s.AdditionalProperties, path...)
	case s.Type == "object" && len(s.Properties) == 0:
		return "{}any"
	case s.Type == "object":
		return n.named(s, path)
	}
	plain := map[string]string{"string": "text", "boolean": "truth", "integer": "number", "number": "number"}
	if plain[s.Type] == "" {
		panic(fmt.Sprint(path, " has a type that is not expected: ", s.Type))
	}
	return plain[s.Type]
}

// named returns the name of a type: as much of the end of its path as no other one has.
func (n *namer) named(s schema, path []string) string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		fields = append(fields, name+" "+n.of(s.Properties[name], append(slices.Clone(path), name)...))
	}
	key := strings.Join(fields, "\n")
	if n.names[key] != "" {
		return n.names[key]
	}
	name := ""
	for i := len(path) - 1; i >= 0 && (name == "" || n.types[name] != nil); i-- {
		name = strings.ToUpper(path[i][:1]) + path[i][1:] + name
	}
	if n.types[name] != nil {
		panic(fmt.Sprint("two types would be called ", name))
	}
	n.names[key], n.types[name] = name, fields
	return name
}
