package manifest_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
)

func TestWhatTheStrictReaderDeclinesHasAName(t *testing.T) {
	t.Parallel()
	type place struct {
		what string
		line int
	}
	for text, want := range map[string]place{
		"a: b\n":                        {"", 1},
		"a: &x {b: c}\nd: *x\n":         {"its alias *x", 2},
		"a: &x {b: c}\nd: {e: [1, *x]}": {"its alias *x", 2},
		"a: &x {b: c}\nd: {<<: *x}\n":   {"its alias *x", 2},
		"a: &x b\n":                     {"its anchor &x", 1},
		"a: !!str 1\n":                  {"its tag !!str", 1},
		"a: b\n---\na: b\nc: !x d\n":    {"its tag !x", 4},
	} {
		var got place // of the last document
		for d, err := range manifest.Documents([]byte(text), "") {
			if err != nil {
				t.Fatal(err)
			}
			what, at := d.Construct()
			got = place{what, manifest.NewLines([]byte(text)).At(at)}
		}
		if got != want {
			t.Errorf("%q: %v, not %v", text, got, want)
		}
	}
}
