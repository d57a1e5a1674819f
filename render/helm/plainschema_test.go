package helm

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rollstamp/rollstamp/config"
)

// plainCases are schemas with values, and whether these are known to fit without the library.
var plainCases = []struct {
	schema, values string
	want           bool
}{
	{`{"type":"object","title":"t","properties":{"a":{"type":"string","form":true,"default":[]}}}`, `{"a":"x","b":1}`, true},
	{`{"$schema":"http://json-schema.org/schema#","type":["object","null"]}`, `{}`, true},
	{`{"$schema":"http://json-schema.org/draft-04/schema#","required":["a"]}`, `{"a":null}`, true},
	{`{"required":["a"]}`, `{"b":1}`, false},
	{`{"properties":{"a":{"type":"integer"},"b":{"type":"number"},"c":{"type":"integer"}}}`,
		`{"a":3,"b":2.5,"c":1e3}`, true},
	{`{"properties":{"a":{"type":"integer"}}}`, `{"a":2.5}`, false},
	{`{"properties":{"a":{"type":"number"}}}`, `{"a":3}`, true},
	{`{"properties":{"a":{"type":"number"}}}`, `{"a":1e300}`, false},
	{`{"properties":{"a":{"type":["string","array"],"items":{"type":"string"}}}}`, `{"a":["x",""]}`,
		true},
	{`{"properties":{"a":{"items":{"type":"string"}}}}`, `{"a":["x",1]}`, false},
	{`{"properties":{"a":{"enum":["x","y"]}}}`, `{"a":"y"}`, true},
	{`{"properties":{"a":{"enum":["x","y"]}}}`, `{"a":"z"}`, false},
	{`{"properties":{"a":{"type":"boolean"},"n":{"type":"null"}}}`, `{"a":false,"n":null}`, true},
	{`{"properties":{"a":{"type":"string"}}}`, `{"a":false}`, false},
	{`{"properties":{"a":{"type":"text"}}}`, `{}`, false},
	{`{"properties":{"a":{"type":[]}}}`, `{}`, false},
	{`{"properties":{"a":{"type":["string","string"]}}}`, `{}`, false},
	{`{"properties":{"a":{"title":1}}}`, `{}`, false},
	{`{"properties":{"a":true}}`, `{}`, false},
	{`{"properties":[]}`, `{}`, false},
	{`{"items":[{}]}`, `{}`, false},
	{`{"properties":{"a":{"$ref":"#/x"}}}`, `{}`, false},
	{`{"properties":{"a":{"minimum":3}}}`, `{"a":1}`, false},
	{`{"properties":{"a":{"$schema":"http://json-schema.org/schema#"}}}`, `{}`, false},
	{`{"$schema":"http://example.com/other"}`, `{}`, false},
	{`{"$id":"x","type":"object"}`, `{}`, false},
	{`{"required":[]}`, `{}`, false},
	{`{"required":true}`, `{}`, false},
	{`{"enum":["x"]}`, `{}`, false},
	{`true`, `{}`, false},
}

func TestPlainSchemasAreReadWithoutTheLibrary(t *testing.T) {
	for _, c := range plainCases {
		if got := fitsWithoutLibrary(t, c.schema, c.values); got != c.want {
			t.Errorf("%s fits %s: %v, want %v", c.values, c.schema, got, c.want)
		}
	}
	schema, _ := newPlainSchema(map[string]any{})
	for _, v := range []any{math.NaN(), math.Inf(1), map[string]string{}, []string{}} {
		if fitsPlain(schema.root, v) {
			t.Errorf("%#v fits", v)
		}
	}
}

// fitsWithoutLibrary reports whether values are known to fit a schema, and fails where the library says otherwise.
func fitsWithoutLibrary(t *testing.T, schema, values string) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	var table map[string]any
	if err != nil || json.Unmarshal([]byte(values), &table) != nil || table == nil {
		t.Skip("no schema, or no table of values")
	}
	plain, ok := newPlainSchema(doc)
	if !ok || !plain.fits(table) {
		return false
	}
	if err := validateByLibrary(doc, table, config.Permissions{}); err != nil {
		t.Errorf("%s fits %s, and the library reports: %v", values, schema, err)
	}
	return true
}

func FuzzWhatFitsAPlainSchemaFitsByTheLibrary(f *testing.F) {
	for _, c := range plainCases {
		f.Add(c.schema, c.values)
	}
	f.Fuzz(func(t *testing.T, schema, values string) { fitsWithoutLibrary(t, schema, values) })
}
