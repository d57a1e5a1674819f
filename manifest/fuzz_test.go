package manifest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// seeds are documents that sit on the edges of the strict reader.
var seeds = []string{
	"a: b\n", "a:\n  b: c\n  d:\n  - e\n  - f: g\n    h: i\n", "- - a\n  - b\n- c\n",
	"a: |\n  x\n   y\n\n  z\n\nb: >-\n  x\n  y\n\n   z\n  w\n",
	"a: |+\n  x\n\n\nb: c\n", "a: |2\n   x\n  y\n", "a: >\n\n  x\n   y\n   z\n\n  w\n\n\n",
	"a: 'it''s'\nb: \"x\\n\\u0041\\\"\"\n",
	"a: \"x\n  y\n\n  z \\\n  w\"\nb: 'x\n  y\n\n  z'\n", "a: x\n  y\n\n  z\nb: c # d\n",
	"a: {b: c, \"d\": [1, -2, x y], e: {}}\nf: []\n",
	"{\"a\": {\"b\":1,\"c\":[true,null,\"x\"]}}", "{\n\t\"a\": 1,\n\t\"b\": [\n\t\t2\n\t]\n}\n",
	"---\na: b\n---\nc: d\n...\ne: f\n", "%YAML 1.1\n---\na: b\n",
	"\xef\xbb\xbfa: b\r\nc:\r\n- d\r\n", "a: &x {b: c}\nd: *x\ne:\n  <<: *x\n", "a: !!str 1\n", "? a\n: b\n",
	"a: # c\n  b: c\n", "a:\n# c\n- b\n", "a: b: c\n",
	"a:\tb\n", "a: - b\n", "a: b\n c: d\n", "a: [b: c]\n", "a: [b,]\n", "a: http://x:80/#y\n",
	"- a: b\n  c: d\n-\n  e: f\n-\n", "\"a b\": c\n'd': e\n",
	"a: |\n\n    \n  x\n", "a: |\n", "a: |-\n\n\nb: c\n", "a:\n", "a:\n\nb:\n  - \n  - x\n", "x\ny\n", "\"x\"\n",
	"| \n  a\n", "- |\n a\n- >\n b\n", "a: 'x'y\n",
	"a: x #y\n   z\n", "a: x\n  # c\n", "a: x\n  # c\n  y\n", "a: x\n\ty\n", "a: \"\\x41\"\n", "a: \"\\ud800\"\n",
	"\u00e4: \u00f6 # \u2028\n", "a: \u0085b\n", "a\r: b\n",
	"a: [\n  b,\n  c\n]\n", "a: {\n}\nb: c\n", "a: [x\ny]\n", "a: |\n  x\n # c\nb: c\n", "a: 'x\ny'\n",
	"a:\n  - b\n - c\n", "a: ''\nb: \"\"\n", "a: -\n", "a: -b\n- c\n", "<<: {a: b}\n",
	"a: \"b\": c\n", "a: {b: c}: d\n", "a : b\n", "a:b\n", "a: b:c\n", "a: b:\n", "a: ?b\n", "a: {?b: c}\n",
	"a: [a?b]\n", "-a: b\n", "--- a\n", "--- |\n a\n", "---\n---\n", "# c\n", "a: b\n...\n", "a: b\n... # c\n",
	"...\n", "a: =\n", "a: :b\n", ":b: c\n", "- :80\n", "a: \"b\\n\n    \\  c\"\n", "a: :b\n", ":b: c\n", "- :80\n",
	"a: \"b\\n\n    \\  c\"\n", "=: a\n",
	"a: [--b=c, -d, -, --, ---, -e: f, -.1, -/g, -\"h\"]\n", "a: {-b: --c, -: d}\n", "a: [-\n, --b\n--c]\n", "a: [\n---\n]\n",
	"a: [-, -]\n", "a: [-:b]\n", "a: [-#b, - #c\n]\n", "a: [-[b]]\n", "a: [-{b: c}]\n", "a: [-?b]\n", "a: [-\tb]\n",
	"- ::1\n- :: a\n- ::\n- :a\n  b\n- :a #b\n", ":: a\n", ":\ta\n", "- :\ta\n", "- :a:\n", "::\n", "a:\n  :b: :c\n",
	"{a, b: c}\n", "{a: , b}\n", "{a:, b}\n", "{a: }\n", "{a\n, b}\n", "{a b, \"c\" , 'd':}\n", "{a: {b}, <<}\n", "[{a}, b]\n", "{,}\n",
	"a: |1\n  x\n", "- |1\n  x\n", "- a: |1\n    x\n", "a: >2\n    x\n   y\n", "a: \"  x  \n  y\"\n",
	"a: 'x \n\n y '\n", "a: \"\n  x\"\n", "a: \"x\n  \"\n", "a: |\n  x\n\t\n", "a: |  # c\n  x\n", "a: |#c\n  x\n",
}

// onlyJSON matches the escapes that are read because kubectl takes them in JSON, though the YAML library does not.
var onlyJSON = regexp.MustCompile(`\\/|\\u[dD][89abAB]`)

func FuzzStrictReaderAgreesWithTheLibrary(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	// Rendered streams of others, where a developer has some at hand.
	files, _ := filepath.Glob(os.Getenv("ROLLSTAMP_TEST_STREAMS"))
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { compareReaders(t, text) })
}

// compareReaders reads each document of text with both readers.
func compareReaders(t *testing.T, text []byte) (docs, fast int) {
	arena := []node(nil)
	for next := 0; next < len(text); {
		start, body, end := split(text, next)
		if end <= next {
			t.Fatalf("split does not advance at %d", next)
		}
		next = end
		docs++
		p := parser{s: text, p: body, end: len(text), nodes: arena[:0]}
		ok := readable(text[body:end]) && p.document(start)
		arena = p.nodes
		if !ok {
			continue
		}
		if p.end != end {
			t.Fatalf("the document at %d ends at %d, split says %d\n%q", start, p.end, end, text)
		}
		fast++
		lib, nodes, err := readWithLibrary(text, start, end)
		if err != nil && onlyJSON.Match(text[start:end]) && strings.Contains(err.Error(), " escape c") {
			continue // an escape that JSON has and the library does not know
		}
		if err != nil {
			t.Fatalf("the strict reader takes what the library refuses (%v):\n%q", err, text[start:end])
		}
		a := &Document{Start: start, End: end, text: text, nodes: p.nodes}
		b := &Document{Start: start, End: end, text: text, nodes: nodes, slow: lib}
		if diff := difference(a, b); diff != "" {
			t.Fatalf("%s\n%q", diff, text[start:end])
		}
	}
	return docs, fast
}

func difference(a, b *Document) string {
	if len(a.nodes) != len(b.nodes) {
		return fmt.Sprintf("%d nodes, library %d", len(a.nodes), len(b.nodes))
	}
	for i := range a.nodes {
		x, y := a.nodes[i], b.nodes[i]
		m, n := nextIndex(a.nodes, int32(i)), nextIndex(b.nodes, int32(i))
		if x.kind != y.kind || m != n {
			return fmt.Sprintf("node %d: kind %d next %d, library %d %d", i, x.kind, m, y.kind, n)
		}
		if x.start != y.start && y.style != absent {
			return fmt.Sprintf("node %d: start %d, library %d", i, x.start, y.start)
		}
		if x.kind != scalarNode {
			if x.style != y.style && m > int32(i)+1 {
				return fmt.Sprintf("node %d: style %d, library %d", i, x.style, y.style)
			}
			continue
		}
		if !bytes.Equal(a.value(int32(i)), b.value(int32(i))) {
			return fmt.Sprintf("node %d: %q, library %q", i, a.value(int32(i)), b.value(int32(i)))
		}
		if s, l := (Node{a, int32(i)}).Type(), (Node{b, int32(i)}).Type(); s != l {
			return fmt.Sprintf("node %d: type %d, library %d (%q)", i, s, l, b.value(int32(i)))
		}
	}
	return ""
}
