package argocd

import (
	"reflect"
	"testing"
)

func TestTextsOfVariablesStayAsTheyAreWritten(t *testing.T) {
	option := func(name string) Option {
		o, err := optionOfVariable("ROLLSTAMP_" + name)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for _, c := range []struct {
		name, text string
		want       any // nil for an error
	}{
		{"VALUE_FILES", "1.10", []any{"1.10"}},
		{"VALUE_FILES", "[1.10, on, 010, 'a b', null]", []any{"1.10", "on", "010", "a b", ""}},
		{"VALUE_FILES", "- a.yaml\n- 1e3", []any{"a.yaml", "1e3"}},
		{"VALUE_FILES", "", []any{}},
		{"VALUE_FILES", "[[a]]", nil},
		{"VALUE_FILES", "[a", nil},
		{"COMMON_ANNOTATIONS", `{"a": "b", "version": 1.10, "big": 12345678901234567890}`,
			map[string]any{"a": "b", "version": "1.10", "big": "12345678901234567890"}},
		{"COMMON_ANNOTATIONS", "a: 2024-01-01\nb: &x yes\nc: *x\n", map[string]any{"a": "2024-01-01", "b": "yes", "c": "yes"}},
		{"COMMON_ANNOTATIONS", "{a: null, b: ~}", map[string]any{"a": "", "b": ""}},
		{"COMMON_ANNOTATIONS", "a: b\na: c", nil},
		{"COMMON_ANNOTATIONS", "a: {b: c}", nil},
		{"COMMON_ANNOTATIONS", "[a]", nil},
		{"COMMON_ANNOTATIONS", "text", nil},
	} {
		got, err := option(c.name).fromText(c.text)
		if c.want == nil && err != nil {
			continue
		}
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q is %#v, %v; want %#v", c.name, c.text, got, err, c.want)
		}
	}
}
