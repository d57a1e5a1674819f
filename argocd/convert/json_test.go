package convert_test

import (
	"bytes"
	"encoding/json"
	"testing"
)

// What was JSON stays JSON, on many lines or on one.
func TestJSONBecomesJSON(t *testing.T) {
	const source = `{"repoURL":"u","path":"p","helm":{"valueFiles":["a.yaml"],"values":"a: \"<1>\"\nb: 2\n","skipCrds":true,"skipTests":false,` +
		`"valuesObject":{"a":{"b":[1,null]}},"parameters":[{"name":"x","value":"1.10"}]},"targetRevision":"HEAD"}`
	const text = `{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"name":"a"},"spec":{"source":` + source + `}}`
	const want = `{"repoURL":"u","path":"p","plugin":{"name":"rollstamp","parameters":[{"name":"valueFiles","array":["a.yaml"]},` +
		`{"name":"values","string":"a: \"<1>\"\nb: 2\n"},{"name":"valuesObject","string":"{\"a\": {\"b\": [1, null]}}\n"},` +
		`{"name":"parameters","map":{"x":"1.10"}},{"name":"skipCrds","string":"true"}]},"targetRevision":"HEAD"}`
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	for _, before := range []string{text, indented.String(), text + "\n"} {
		c := converted(t, before)
		var got struct {
			Spec struct{ Source json.RawMessage }
		}
		if err := json.Unmarshal(c.Text, &got); err != nil {
			t.Errorf("%v: %s", err, c.Text)
			continue
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, got.Spec.Source); err != nil || compact.String() != want {
			t.Errorf("%v, got\n%s\nwant\n%s", err, compact.Bytes(), want)
		}
	}
	for _, bare := range []string{`{"repoURL": "u", "path": "p"}`, `{"path":"p","repoURL":"u"}`} {
		c := converted(t, `{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"name":"a"},"spec":{"source":`+bare+`}}`)
		if len(c.Changed) != 1 || !json.Valid(c.Text) {
			t.Errorf("%v: %s", c.Left, c.Text)
		}
	}
}
