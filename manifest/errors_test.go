package manifest

import (
	"errors"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// documentsOf reads all documents of a text.
func documentsOf(text string) ([]*Document, error) {
	var out []*Document
	r := NewReader([]byte(text))
	for {
		d, err := r.Next()
		if err != nil || d == nil {
			return out, err
		}
		out = append(out, d.Clone())
	}
}

func TestWhatIsNoYAMLIsAnErrorWithItsLine(t *testing.T) {
	t.Parallel()
	const fine = "apiVersion: v1\nkind: ConfigMap\n---\n" // three lines before the error
	for _, c := range []struct {
		text string
		line int
		want string
	}{
		{"a: \"x\n", 5, "unexpected end of stream"},
		{"a: 'x\nb: c\n", 6, "unexpected end of stream"},
		{"a: [b\n", 5, ""},
		{"a: {b\nc: d\n", 5, ""},
		{"a: b\n\tc: d\n", 5, ""},
		{"a:\n\tb: c\n", 5, "cannot start any token"},
		{"a: b: c\n", 4, "mapping values are not allowed"},
		{"a: b\n c: d\n", 5, ""},
		{"a: \"\\q\"\n", 4, "unknown escape"},
		{"a: *b\n", 4, "unknown anchor"},
		{"x: y\na: *b\n", 5, "unknown anchor"},
		{"a: &b\n  c: *b\n", 4, "contains itself"},
		{"a: @b\n", 4, "cannot start any token"},
		{"a: %b\n", 4, "cannot start any token"},
		{"a: \xff\n", 4, "invalid UTF-8"},
		{"a: b\nc: \xc3\x28\n", 5, "invalid UTF-8"},
		{"a: \x00\n", 4, "control characters"},
		{"a: \x1b[31m\n", 4, "control characters"},
		{"? [a]\n: b\n", 4, "a key is a mapping or a sequence"},
		{"{a: b}: c\n", 4, "a key is a mapping or a sequence"},
		{"a: !x!y z\n", 4, "tag"},
		{"%YAML 3.0\n", 4, ""},
		{"]\n", 4, ""},
		{"a: |x\n  b\n", 4, ""},
		{strings.Repeat("[", 20000) + "\n", 4, "max depth"},
		{strings.Repeat("k", 1100) + ": v\n", 4, "mapping values are not allowed"},
	} {
		_, err := documentsOf(fine + c.text)
		var e *diag.Error
		if !errors.As(err, &e) {
			t.Errorf("%.60q: %v", c.text, err)
			continue
		}
		if e.Exit != diag.ExitInput || e.Pos.Line < 4 || e.Pos.Line > c.line+1 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: line %d, %v", c.text, e.Pos.Line, err)
		}
	}
}

func TestErrorsShowNoValue(t *testing.T) {
	t.Parallel()
	const head = "x: &a b\ny: *a\nstringData: "
	for _, value := range []string{
		"{~: hunter2}", "{a: !!int hunter2}", "{a: !!float hunter2}", "{a: !!bool hunter2}", "{a: !!timestamp hunter2}",
		"{a: !!null hunter2}", "{a: !!binary hunter2!}", "{a: *hunter2}",
		"{a: \"hunter2\\q\"}", "{a: %hunter2}", "{a: @hunter2}", "{a: `hunter2}", "{<<: hunter2}", "{<<: [hunter2]}", "{a: 'hunter2}", "{a: \"hunter2}", "{hunter2: {a: b}: c}", "\n  a: hunter2: b\n", "{a: !!map hunter2}", "{a: !!seq hunter2}",
		"{!!int hunter2: b}", "&hunter2 {a: *hunter2}", "{a: !hunter2!b c}", "{a: !<hunter2 c}", "{1: hunter2, ~: hunter2}", "hunter2 hunter2: ]",
	} {
		_, err := documentsOf(head + value + "\n")
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestDocumentsAreSplitAsKubernetesToolsDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want int // how many documents hold something
	}{
		{"", 0}, {"\n\n", 0}, {"---\n", 0}, {"---", 0}, {"---\n---\n---\n", 0}, {"# c\n", 0}, {"# c\n---\n# d\n", 0}, {"\ufeff", 0}, {"\ufeff---\n", 0}, {"---\r\n---\r\n", 0},
		{"a: b\n", 1}, {"a: b", 1}, {"---\na: b\n---\n", 1}, {"a: b\n---\nc: d\n", 2}, {"a: b\n--- # x\nc: d\n", 2}, {"a: b\n---   \nc: d\n", 2}, {"a: b\n---\tc\n", 2},
		{"a: b\n--- c\n", 2}, {"a: b\n--- {c: d}\n", 2}, {"a: b\n--- |\n  c\n---\ne: f\n", 3}, {"--- \"a\n  b\"\n", 1}, {"a: b\r\n---\r\nc: d\r\n", 2},
		{"a: b\n...\n", 1}, {"a: b\n...\nc: d\n", 2}, {"a: b\n...\n---\nc: d\n", 2}, {"a: b\n...\n...\n", 1}, {"a: b\n...\n...\n...\n---\nc: d\n", 2}, {"a: b\n... # x\n", 1},
		{"%YAML 1.1\n---\na: b\n", 1}, {"# c\n%YAML 1.1\n---\na: b\n", 1}, {"a: b\n...\n%YAML 1.1\n---\nc: d\n", 2}, {"%TAG ! tag:x,2000:\n---\na: !b c\n", 1},
		{"a: |\n  ---\n  b\n", 1}, {"a: |\n  b\n---\nc: d\n", 2}, {"a: \"b\n  --- c\"\n", 1}, {"a: b\n---c: d\n", 1}, {"---a: b\n", 1}, {"- a\n---\n- b\n", 2}, {"a\n---\nb\n", 2},
		{"{}\n---\n[]\n", 2}, {"null\n---\n~\n", 2},
	} {
		docs, err := documentsOf(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		held, joined := 0, ""
		for _, d := range docs {
			if d.Root().Valid() {
				held++
			}
			joined += string(d.Bytes())
		}
		if held != c.want {
			t.Errorf("%q: %d documents, want %d", c.text, held, c.want)
		}
		if joined != c.text {
			t.Errorf("%q: the documents are %q", c.text, joined)
		}
	}
}

func TestAnchorsAreThoseOfTheirDocument(t *testing.T) {
	t.Parallel()
	docs, err := documentsOf("a: &x {b: 1}\nc: *x\nd: &x 2\ne: *x\n---\na: &x 3\nb: *x\n")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"c": "", "e": "2"} {
		if got := docs[0].Root().Get(at).Text(); got != want {
			t.Errorf("%s: got %q", at, got)
		}
	}
	if got := docs[0].Root().At("c", "b").Text(); got != "1" {
		t.Errorf("got %q", got)
	}
	if got := docs[1].Root().Get("b").Text(); got != "3" {
		t.Errorf("got %q", got)
	}
}

func TestMergeKeysCountWhereTheMappingLacksTheKey(t *testing.T) {
	t.Parallel()
	docs, err := documentsOf("a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], z: 5}\nd:\n  z: 5\n  <<: *b\ne: {<<: {x: 6}}\n")
	if err != nil {
		t.Fatal(err)
	}
	root := docs[0].Root()
	for path, want := range map[string]string{"c.x": "1", "c.y": "2", "c.z": "5", "d.y": "3", "d.z": "5", "e.x": "6", "c.w": ""} {
		if got := root.At(strings.Split(path, ".")...).Text(); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	keys := map[string]int{}
	f := root.Get("c").Fields()
	for f.Next() {
		keys[f.Key.Text()]++
	}
	if len(keys) != 3 || keys["x"] != 1 || keys["y"] != 1 || keys["z"] != 1 {
		t.Errorf("fields %v", keys)
	}
}

func TestAliasedIsWhatAnAliasShowsElsewhere(t *testing.T) {
	t.Parallel()
	docs, err := documentsOf("a: &a {b: {c: 1}}\nd: &d {e: 1}\nf: *a\ng: {h: 1}\n")
	if err != nil {
		t.Fatal(err)
	}
	root := docs[0].Root()
	for path, want := range map[string]bool{"a": true, "a.b": true, "a.b.c": true, "d": false, "d.e": false, "f": true, "g": false, "g.h": false} {
		if got := root.At(strings.Split(path, ".")...).IsAliased(); got != want {
			t.Errorf("%s: got %t", path, got)
		}
	}
}
