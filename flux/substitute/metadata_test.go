package substitute_test

import (
	"errors"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/substitute"
	"github.com/rollstamp/rollstamp/render"
)

func TestLabelsAndAnnotationsAreSetOnAllObjects(t *testing.T) {
	for before, want := range map[string]string{
		"kind: A\napiVersion: v1\nmetadata:\n  name: a # mine\n":                         "{kind: A, apiVersion: v1, metadata: {name: a, labels: {l: '1', m: x}, annotations: {'n': 'y'}}}",
		"kind: A\napiVersion: v1\nmetadata:\n  labels:\n    l: old\n    o: 'true'\n":     "{kind: A, apiVersion: v1, metadata: {labels: {l: '1', m: x, o: 'true'}, annotations: {'n': 'y'}}}",
		"kind: A\napiVersion: v1\nmetadata: {labels: {}, annotations: null}\n":           "{kind: A, apiVersion: v1, metadata: {labels: {l: '1', m: x}, annotations: {'n': 'y'}}}",
		"kind: A\napiVersion: v1\nmetadata:\n  labels:\n    l: '1'\n    m: x\n  name: a": "{kind: A, apiVersion: v1, metadata: {name: a, labels: {l: '1', m: x}, annotations: {'n': 'y'}}}",
		"kind: A\napiVersion: v1\n": "{kind: A, apiVersion: v1, metadata: {labels: {l: '1', m: x}, annotations: {'n': 'y'}}}",
		"kind: A\napiVersion: v1\nmetadata: &m\n  labels: &l {a: b}\nx: *m\n":                        "{kind: A, apiVersion: v1, metadata: {labels: {a: b, l: '1', m: x}, annotations: {'n': 'y'}}, x: {labels: {a: b}}}",
		"kind: A\napiVersion: v1\nx: \"\\ufeff\\u2028\"\nmetadata:\n  labels:\n    a: \"\\ufeff\"\n": "{kind: A, apiVersion: v1, x: \"\\ufeff\\u2028\", metadata: {labels: {a: \"\\ufeff\", l: '1', m: x}, annotations: {'n': 'y'}}}",
		"kind: AList\napiVersion: v1\nitems:\n- kind: A\n  apiVersion: v1\n":                         "{kind: AList, apiVersion: v1, items: [{kind: A, apiVersion: v1, metadata: {labels: {l: '1', m: x}, annotations: {'n': 'y'}}}]}",
	} {
		out, err := substitute.CommonMetadata(map[string]string{"l": "1", "m": "x"}, map[string]string{"n": "y"})(t.Context(), &render.Output{Text: []byte(before)})
		if err != nil {
			t.Errorf("%s: %v", before, err)
			continue
		}
		if got, want := canonical(t, string(out.Text)), canonical(t, want); got != want {
			t.Errorf("%s became\n%s\nwhich is %s, want %s", before, out.Text, got, want)
		}
	}
}

func TestLabelsThatAreNoMappingAreAnErrorAtTheirObject(t *testing.T) {
	out := &render.Output{Text: []byte("kind: A\napiVersion: v1\n---\nkind: B\napiVersion: v1\nmetadata: {name: b, labels: [x]}\n")}
	_, err := substitute.CommonMetadata(map[string]string{"l": "1"}, nil)(t.Context(), out)
	var e *diag.Error
	if !errors.As(err, &e) || e.Object != "B b" || e.Pos.Line != 3 {
		t.Error(err)
	}
}

func TestWithoutMetadataNothingChanges(t *testing.T) {
	out := &render.Output{Text: []byte("kind: A\napiVersion: v1\n")}
	if got, err := substitute.CommonMetadata(nil, nil)(t.Context(), out); got != out || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	out, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Error(err)
	}
	return string(out)
}
