package migrate_test

import (
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/schematest"
	"github.com/rollstamp/rollstamp/migrate"
)

var update = flag.Bool("update", false, "write the schema of the report")

const schemaPath = "../docs/migrate.schema.json"

// source is what the code says of the types of a report.
type source struct{ schematest.Source }

// schema returns the schema of a type. Fields may be added within a version, so others are allowed.
func (s source) schema(kind reflect.Type) map[string]any {
	switch kind.Kind() {
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.schema(kind.Elem())}
	case reflect.String:
		out := map[string]any{"type": "string"}
		// New codes of findings are no change of this schema: each finding here is about another tool.
		if values := s.Words[kind.Name()]; len(values) > 0 && kind.PkgPath() != "" && kind != reflect.TypeFor[diag.Code]() {
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
		if f.Anonymous {
			s.object(f.Type, properties, required)
			continue
		}
		if name == "-" || !f.IsExported() {
			continue // it is not written
		}
		one := s.schema(f.Type)
		if text := s.Comments[kind.Name()+"."+f.Name]; text != "" {
			one["description"] = text
		}
		properties[name] = one
		if options != "omitempty" {
			*required = append(*required, name)
		}
	}
}

func TestTheSchemaOfAReportIsThatOfItsTypes(t *testing.T) {
	s := source{schematest.Parse(t, ".", "../diag")}
	schema := s.schema(reflect.TypeFor[migrate.Report]())
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "What rollstamp migrate -o json prints"
	schema["properties"].(map[string]any)["schema"] = map[string]any{"const": migrate.Schema}
	schematest.Check(t, schemaPath, schema, schematest.ModeOf(update))
}
