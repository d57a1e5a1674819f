package manifest_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
)

func TestWhatTheStrictReaderDeclinesHasAName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a: b\n":                        "",
		"a: &x {b: c}\nd: *x\n":         "its alias *x",
		"a: &x {b: c}\nd: {e: [1, *x]}": "its alias *x",
		"a: &x {b: c}\nd: {<<: *x}\n":   "its alias *x",
		"a: &x b\n":                     "its anchor &x",
		"a: !!str 1\n":                  "its tag !!str",
	} {
		for d, err := range manifest.Documents([]byte(text), "") {
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Construct(); got != want {
				t.Errorf("%q: %q, not %q", text, got, want)
			}
		}
	}
}
