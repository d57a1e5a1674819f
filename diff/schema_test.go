package diff_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/internal/schematest"
)

var update = flag.Bool("update", false, "write the schema of a comparison")

const schemaPath = "../docs/diff.schema.json"

// source is what the code says of the types of a comparison.
type source struct{ schematest.Source }

// schema returns the schema of a type. Fields may be added within a version, so others are allowed.
func (s source) schema(kind reflect.Type) map[string]any {
	switch kind.Kind() {
	case reflect.Pointer:
		return s.schema(kind.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.schema(kind.Elem())}
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
	s.object(kind, properties, &required)
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func (s source) object(kind reflect.Type, properties map[string]any, required *[]string) {
	for f := range kind.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue // it is not written
		}
		if f.Anonymous {
			s.object(f.Type, properties, required)
			continue
		}
		one := s.schema(f.Type)
		if text := s.Comments[kind.Name()+"."+f.Name]; text != "" {
			one["description"] = text
		}
		if kind.Name() == "Quiet" && f.Name == "Reason" {
			one["enum"] = []string{diff.NotConsumed, diff.KeysNotRead, diff.SameContent, diff.LiveOnly, diff.OptedOut,
				diff.NoRestart, diff.Unclear, diff.Waits, diff.IsAdopted, diff.ReadElsewhere}
		}
		if kind.Name() == "Edge" && f.Name == "Keys" {
			one["type"] = []string{"array", "null"}
		}
		properties[name] = one
		if options != "omitempty" {
			*required = append(*required, name)
		}
	}
}

func TestTheSchemaOfAComparisonIsThatOfItsTypes(t *testing.T) {
	s := source{schematest.Parse(t, ".", "../diag")}
	schema := s.schema(reflect.TypeFor[diff.Comparison]())
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "What rollstamp diff -o json prints"
	schema["properties"].(map[string]any)["schema"] = map[string]any{"const": diff.Schema}
	schematest.Check(t, schemaPath, schema, schematest.ModeOf(update))
}

func TestAComparisonFitsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\n"
	pod := deployment("", ", envFrom: [{configMapRef: {name: c}}]", "")
	part := compare(t, config, strings.Replace(config, "a: b", "a: c", 1))
	part.Quiet[0].Keys = nil // as of a producer that changes
	noKeys, err := diff.Join([]*diff.Comparison{part})
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]*diff.Comparison{
		"quiet without keys": noKeys,
		"nothing":            compare(t, config, config), "a restart": compare(t, config+pod, strings.Replace(config, "a: b", "a: c", 1)+pod),
		"what is gone": compare(t, config+pod, pod), "what is quiet": compare(t, config, strings.Replace(config, "a: b", "a: c", 1)),
	} {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	bad := compare(t, config+pod, pod)
	bad.Restarts[0].Rollout.Effect = "surprise"
	text, err := json.Marshal(bad)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if schema.Validate(value) == nil {
		t.Error("the schema takes any word for an effect")
	}
}
