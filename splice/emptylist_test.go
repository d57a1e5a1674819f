package splice_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// A list that is made goes with its items; one that was there stays, as it was.
func TestAListThatWasEmptyIsEmptyAgain(t *testing.T) {
	t.Parallel()
	path, items := []string{"env"}, []any{splice.Fields{{Key: "name", Value: "N"}, {Key: "value", Value: "v"}}}
	for _, before := range []string{
		"a:\n  x: 1\n",
		"a:\n  env:\n  x: 1\n",
		"a:\n  env: # c\n\n  # d\n  x: 1\n",
		"a:\n  env: # null\n  x: 1\n",
		"a:\n  x: 1\n  env:",
		"a:\r\n  env:\r\n  x: 1\r\n",
		"a:\n  env: null\n  x: 1\n",
		"a:\n  env:   Null\n    # deeper\n  x: 1\n",
		"a:\n  env: ~ # c\n  x: 1\n",
		"a:\n  env: ~ # null\n",
		"a:\n  x: 1\n  env: NULL",
		"a:\r\n  x: 1\r\n  env: null # c\r\n",
		"a:\n  env:\n    null\n  x: 1\n",
		"a:\n  env: # c\n\n    # null before\n    ~ # d\n    # e\n  x: 1\n",
		"a:\n  env: []\n  x: 1\n",
		"a:\n  env: [ ]\n  x: 1\n",
		"a:\n  env:\n    []\n",
		"a: {x: 1}\n",
		"a: {env: null, x: 1}\n",
		"a: {env: ~, x: 1}\n",
		"a: {env: NULL, x: 1}\n",
		"a: {\"env\":null, x: 1}\n",
		"a: {env: [], x: 1}\n",
		"a: {env: [ ], x: 1}\n",
		"a: {env: [   ], x: 1}\n",
		"a: {env: , x: 1}\n",
		"a: {x: 1, env: }\n",
		"a: {x: 1,\n  env :\n  }\n",
		"a: {env, x: 1}\n",
		"a: { x: 1, env }\n",
		"a: {\"env\":, 'x'}\n",
		"a: {'env', x}\n",
		"{\"a\":{\"env\":[],\"x\":1}}\n",
		"{\"a\":{\"env\":null,\"x\":1}}",
		"{\"a\":{\"x\":1}}",
		"{\"a\": {\n  \"env\": [\n  ],\n  \"x\": 1}}",
		"{\"a\": {\n  \"x\": 1,\n  \"env\": []\n}}",
	} {
		edits, err := splice.AppendItems(nodeOf(t, []byte(before)), path, items)
		if err != nil {
			t.Fatalf("%q: %v", before, err)
		}
		with := splice.Bytes([]byte(before), edits)
		if n := nodeOf(t, with).At("env").Len(); n != 1 {
			t.Errorf("%q has %d items", with, n)
		}
		edits, err = splice.RemoveItems(nodeOf(t, with), path)
		if got := string(splice.Bytes(with, edits)); err != nil || got != before {
			t.Errorf("%q became %q and then %q (%v)", before, with, got, err)
		}
	}
}

func nodeOf(t *testing.T, text []byte) manifest.Node {
	t.Helper()
	d, err := manifest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d.Root().Get("a")
}
