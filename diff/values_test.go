package diff

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/splice"
)

// TestAnObjectHoldsWhatTheYAMLLibraryReads holds the way without the library to the library.
func TestAnObjectHoldsWhatTheYAMLLibraryReads(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n"
	var texts []string
	for _, scalar := range []string{"x", "'1'", `"a\tb"`, "1", "0", "-7", "+7", "007", "0x1f", "0o7", "1_000", "1e3", "1.50",
		"123456789012345", "1234567890123456789", ".5", "yes", "No", "on", "OFF", "y", "N", "true", "False", "null", "~", "",
		"|\n    two\n    lines", ">-\n    two\n    lines", "{a: 1, b: [x, 2]}", "[]", "{}", "2024-01-01", "<<", "&a x", "!!str 1"} {
		texts = append(texts, head+"  k: "+scalar+"\n")
	}
	for _, key := range []string{"1", "true", "~", "'1'", `"a b"`, "1.5", "<<"} {
		texts = append(texts, head+"  "+key+": {a: b}\n")
	}
	texts = append(texts, head+"  a: 1\n  a: 2\n",
		"apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n  data: {x: 1}\n- metadata: {name: b}\n  data: {x: 0x2}\n",
		"apiVersion: v1\nkind: List\nitems:\n- &a\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n- *a\n")
	for _, text := range texts {
		all, err := read("", splice.Edited{Text: []byte(text)}, nil, nil, nil)
		if err != nil {
			continue // it is no object to anybody
		}
		want, err := objectsOf([]byte(text))()
		for _, o := range all {
			got, errGot := o.table()
			if (errGot != nil) != (err != nil) || err == nil && !reflect.DeepEqual(got, want[o.item]) {
				t.Errorf("%s%#v, %v\nthe library: %#v, %v", text, got, errGot, want, err)
			}
		}
	}
}

func TestListsAreComparedByWhatTheyHaveInCommon(t *testing.T) {
	args := func(text string) []any {
		var out []any
		for arg := range strings.FieldsSeq(text) {
			out = append(out, arg)
		}
		return out
	}
	for _, c := range []struct{ from, to, want string }{
		{"--a --b --c", "--new --a --b --c", "args added --new"},
		{"--a --b --c", "--a --c", "args removed --b"},
		{"--a=1 --b", "--x --a=2 --b", "args added --x, args[1] changed --a=1 --a=2"},
		{"a b c d e f g h i j k l", "b c d e f g h i j k l a2 b2", "args removed a, args added a2, args added b2"},
		{"a b", "b a", `args reordered ["a","b"] ["b","a"]`},
	} {
		var got []string
		for _, f := range fields("args", args(c.from), args(c.to)) {
			got = append(got, strings.Join(strings.Fields(fmt.Sprint(f.Path, " ", f.Change, " ", f.From, " ", f.To)), " "))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s to %s: %s; want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestTextsWithSeveralLinesHaveHunks(t *testing.T) {
	lines := func(n int, change string) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprint("line ", i))
		}
		out[n/2] = change
		return strings.Join(out, "\n") + "\n"
	}
	const want = "@@ -4,5 +4,5 @@\n line 3\n line 4\n-old\n+new\n line 6\n line 7"
	if got := hunks(lines(10, "old"), lines(10, "new")); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := hunks(lines(20000, "old"), lines(20000, "new")); len(got) > 200 {
		t.Errorf("%d bytes", len(got))
	}
	if got := hunks("one", "another"); got != "" {
		t.Errorf("one line has the hunk %q", got)
	}
	if got := hunks(lines(3000, "a"), strings.Repeat("z\n", 3000)); len(got) > longest+3 {
		t.Errorf("a hunk of %d bytes", len(got))
	}
}

func TestTheDifferenceOfLongValuesIsShown(t *testing.T) {
	long := strings.Repeat("é", 1<<19)
	f := change("data.a", Modification, long+"1"+long, long+"2"+long)
	if !strings.Contains(f.From, "é1é") || !strings.Contains(f.To, "é2é") || len(f.From) > longest+10 || !utf8.ValidString(f.From) {
		t.Errorf("%d bytes: %.200s", len(f.From), f.From)
	}
	if f = change("data.a", Modification, "1"+long, "2"+long); !strings.HasPrefix(f.From, "1é") || len(f.To) > longest+10 {
		t.Errorf("%d bytes: %.20s", len(f.From), f.From)
	}
}
