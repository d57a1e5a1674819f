package manifest_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
)

func TestACloneWithoutANodeHasEverythingElse(t *testing.T) {
	const text = "a: {x: 1, y: [2, 3]}\nb:\n- c: 4\n  d: |\n    5\n- e\nf:\n  g: [6, {h: 7}]\n  i: 8\n"
	d, err := manifest.Parse([]byte(text))
	if err != nil || !d.Fast() {
		t.Fatal(err, "the strict reader does not read it")
	}
	for _, path := range [][]string{{"a"}, {"a", "y"}, {"b"}, {"f"}, {"f", "g"}} {
		cut := d.CloneWithout(d.Root().At(path...))
		if n := cut.Root().At(path...); !n.Valid() || n.Len() != 0 || n.Offset() != d.Root().At(path...).Offset() {
			t.Errorf("%v: %d entries at %d", path, n.Len(), n.Offset())
		}
		for _, other := range [][]string{{"a", "x"}, {"a", "y"}, {"b"}, {"f", "g"}, {"f", "i"}} {
			if other[0] == path[0] && (len(path) == 1 || other[1] == path[1]) {
				continue
			}
			was, is := d.Root().At(other...), cut.Root().At(other...)
			if is.Text() != was.Text() || is.Len() != was.Len() || is.Offset() != was.Offset() || is.End() != was.End() {
				t.Errorf("%v without %v: %q", other, path, is.Text())
			}
		}
	}
}

func TestASpanIsWhereAValueIsWrittenAsItIs(t *testing.T) {
	for text, isSpan := range map[string]bool{
		"a": true, "a b": true, "'a b'": true, `"a b"`: true, "''": true, "a\n  b": false, "'it''s'": false, `"a\tb"`: false,
		"'a\n  b'": false, "\"a\n  b\"": false, "|\n  a\n": false, "[a]": false, "": false,
	} {
		d, err := manifest.Parse([]byte("k: " + text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		n := d.Root().Get("k")
		s, ok := n.Span()
		if ok != isSpan || ok && d.Piece(s) != n.Text() || ok && s.IsEmpty() != (n.Text() == "") {
			t.Errorf("%s: %t", text, ok)
		}
	}
}

func TestOnlyTakesAMappingOfTheseKeysEachOnce(t *testing.T) {
	for text, want := range map[string]string{
		"{a: 1, b: 2}": "1 2", "{b: 2, a: 1}": "1 2", "{a: 1}": "1 ", "{'b': 2}": " 2", "{}": " ",
		"{a: 1, c: 2}": "no", "{a: 1, a: 2}": "no", "[a, b]": "no", "a": "no", "{a: 1, <<: {b: 2}}": "no",
	} {
		d, err := manifest.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var values [2]manifest.Node
		got := "no"
		if d.Root().Only(values[:], "a", "b") {
			got = values[0].Text() + " " + values[1].Text()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
