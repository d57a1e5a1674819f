package migrate_test

import (
	"flag"
	"reflect"
	"testing"

	"github.com/rollstamp/rollstamp/internal/schematest"
	"github.com/rollstamp/rollstamp/migrate"
)

var update = flag.Bool("update", false, "write the schema of the report")

const schemaPath = "../docs/migrate.schema.json"

func TestTheSchemaOfAReportIsThatOfItsTypes(t *testing.T) {
	source := schematest.Parse(t, ".", "../diag")
	delete(source.Words, "Code") // new codes of findings are no change of this schema
	schema := source.Schema(reflect.TypeFor[migrate.Report](), nil)
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "What rollstamp migrate -o json prints"
	schema["properties"].(map[string]any)["schema"] = map[string]any{"const": migrate.Schema}
	schematest.Check(t, schemaPath, schema, schematest.ModeOf(update))
}
