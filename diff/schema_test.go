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

// amend adds what the types of a comparison do not say.
func amend(of reflect.Type, f reflect.StructField, schema map[string]any) {
	switch of.Name() + "." + f.Name {
	case "Quiet.Reason":
		schema["enum"] = []string{diff.NotConsumed, diff.KeysNotRead, diff.IsRandom, diff.SameContent, diff.LiveOnly, diff.OptedOut,
			diff.ByOtherTool, diff.NoRestart, diff.Unclear, diff.Waits, diff.IsAdopted, diff.ReadElsewhere}
	case "Edge.Keys":
		schema["type"] = []string{"array", "null"}
	}
}

func TestTheSchemaOfAComparisonIsThatOfItsTypes(t *testing.T) {
	schema := schematest.Parse(t, ".", "../diag").Schema(reflect.TypeFor[diff.Comparison](), amend)
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
