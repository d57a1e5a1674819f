package output

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	printer "go.yaml.in/yaml/v2"

	"github.com/rollstamp/rollstamp/manifest"
)

// equalsWithNodes returns how many documents of a text are printed without nodes, each of which has to be as kustomize
// prints it.
func equalsWithNodes(t *testing.T, from, text string) (short int) {
	t.Helper()
	var p Documents
	for doc, err := range manifest.Documents([]byte(text), "") {
		if err != nil {
			return short
		}
		got, ok := p.Append([]byte("# before\n"), doc)
		if !ok && string(got) != "# before\n" {
			t.Errorf("%s: a document that is refused left %q", from, got)
		}
		if strings.HasSuffix(doc.Root().Get("kind").Text(), "List") {
			continue // the caller looks for these
		}
		rs, err := factory().SliceFromBytes(doc.Bytes())
		if err != nil || len(rs) != 1 {
			continue // no object
		}
		want, err := rs[0].AsYAML()
		if err == nil {
			got, err := p.AppendResource([]byte("# before\n"), rs[0])
			if err != nil || string(got) != "# before\n"+string(want) {
				t.Errorf("%s: of\n%s\n from nodes got\n%s\nwant\n%s (%v)", from, doc.Bytes(), got, want, err)
			}
		}
		if !ok {
			continue
		}
		if err != nil {
			t.Errorf("%s: printed, and kustomize refuses it: %v", from, err)
			continue
		}
		if string(got) != "# before\n"+string(want) {
			t.Errorf("%s: of\n%s\n got\n%s\nwant\n%s", from, doc.Bytes(), got, want)
		}
		short++
	}
	return short
}

func TestDocumentsPrintedWithoutNodesEqualAsYAML(t *testing.T) {
	roots := filepath.SplitList(os.Getenv("ROLLSTAMP_TREES"))
	for _, root := range append(roots, "../../../testdata", "../../../examples") {
		short := 0
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".yaml") && !strings.HasSuffix(path, ".yml") {
				return nil
			}
			b, err := os.ReadFile(path)
			if err == nil {
				short += equalsWithNodes(t, path, string(b))
			}
			return nil
		})
		if err != nil || short == 0 {
			t.Errorf("%s: %d documents, %v", root, short, err)
		}
		t.Logf("%s: %d documents", root, short)
	}
}

// scalars are hard to print.
var scalars = []string{
	`a`, `""`, `''`, `"1"`, `1`, `0`, `-1`, `007`, `"007"`, `1.5`, `"1.5"`, `1e3`, `"1e3"`, `0x1f`, `"0x1f"`, `1_000`, `"1_000"`,
	`12:30:45`, `"12:30:45"`, `2020-01-02`, `"2020-01-02"`, `true`, `"true"`, `yes`, `"yes"`, `y`, `"y"`, `Off`, `null`, `~`, `"null"`, `"~"`,
	`.5`, `".inf"`, `-.inf`, `"-"`, `-`, `--`, `---x`, `"---"`, `-x`, `--flag=1`, `- x`, `a: b`, `"a: b"`, `"a:"`, `"a #b"`, `a#b`, `"a "`, `" a"`,
	`"it's"`, `'it''s'`, `"'"`, `"%a"`, `"@a"`, `"*"`, `"&a"`, `"!a"`, `"<<"`, `"="`, `"<a"`, `"?a"`, `"? a"`, `":a"`, `"` + "`" + `"`, `100m`, `1Gi`, `10.0.0.1`,
	`"a\tb"`, `"a\nb"`, `"\n"`, `"\na"`, `"a\n"`, `"a\n\n"`, `"a \nb"`, `"a\n b\n"`, `"\u00e9"`, `é`, `/a/b`, `$(A)`, `(a)`, `_a`, `{}`, `[]`, `[a, 1]`, `{a: 1}`,
	`"` + strings.Repeat("word ", 30) + `end"`, strings.Repeat("word ", 30) + `end`, `"` + strings.Repeat("a: b ", 30) + `end"`,
	strings.Repeat("x", 70) + "  two " + strings.Repeat("y", 30) + " z", `"` + strings.Repeat("é ", 60) + `e"`, "|\n      a\n       b\n\n      c", "|-\n      a\n\n\n      b", ">\n      a\n      b",
	">-\n      a\n\n      b", "|+\n      a\n\n", "+1", `"+1"`, "0o7", "0b1", `"0b1"`, "1.2.3", "30d", "5e", `"5e"`, "deadbeef", "12e4", "1.e", `"\u0085"`,
	"a 📋", "📋 a", `"a 📋"`, `"\U0001F4CB"`, "|\n      a 📋\n      b", `"\ue000"`, `"\ufffd"`, `"\ufeff"`, "日本",
	`tRue`, `"tRue"`, `'nULL'`, `"NULL"`, `"yEs"`, `'Yes'`, `"oN"`, `"OFf"`,
}

// longKey is broken into lines where it is a value.
const longKey = "a key that has many words, more than there is room for on one line of eighty characters, but not more"

func TestDocumentsOfHardScalarsEqualAsYAML(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	one := func() string { return scalars[g.IntN(len(scalars))] }
	short := 0
	for range 20_000 {
		var b strings.Builder
		b.WriteString("apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n")
		for i := range 1 + g.IntN(3) {
			key := []string{"a", "B", "a1", "a10", "a2", `"1"`, "a-b", `"a b"`, "é", "a01", "a.b", "_", "k📋", longKey}[g.IntN(14)]
			switch g.IntN(4) {
			case 0, 1:
				b.WriteString("  k" + key + string(rune('0'+i)) + ":\n    " + key + ": " + one() + "\n")
			case 2:
				b.WriteString("  l" + string(rune('0'+i)) + ":\n  - " + one() + "\n  - - " + one() + "\n")
			case 3:
				b.WriteString("  m" + string(rune('0'+i)) + ":\n  - b: " + one() + "\n    a: " + one() + "\n")
			}
		}
		short += equalsWithNodes(t, "random", b.String())
		if t.Failed() {
			return
		}
	}
	if short < 1_000 {
		t.Errorf("only %d documents were printed without nodes", short)
	}
}

func TestKeysAreOrderedAsGoYAMLDoes(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "b", "A", "0", "00", "1", "10", "9", "-", ".", "_", "é", "ü", " ", "x1", "/"}
	for range 20_000 {
		key := func() string {
			var s string
			for range 1 + g.IntN(4) {
				s += parts[g.IntN(len(parts))]
			}
			return "k" + s
		}
		a, b := key(), key()
		if a == b {
			continue
		}
		text, err := printer.Marshal(map[string]int{a: 1, b: 1})
		if err != nil {
			t.Fatal(err)
		}
		one, _ := printer.Marshal(map[string]int{a: 1})
		if got, want := compareKeys(a, b) < 0, strings.HasPrefix(string(text), string(one)); got != want {
			t.Fatalf("%q before %q is %t, want %t", a, b, got, want)
		}
	}
}

// FuzzDocuments reads a stream of documents.
func FuzzDocuments(f *testing.F) {
	for _, s := range scalars {
		f.Add("apiVersion: v1\nkind: A\nmetadata:\n  name: a\nspec:\n  a: " + s + "\n  b:\n  - " + s + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) { equalsWithNodes(t, text, text) })
}
