package splice_test

import (
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// change is a function of the package, bound to what it is to write.
type change func(root manifest.Node) ([]splice.Edit, error)

func set(v any, path ...string) change {
	return func(n manifest.Node) ([]splice.Edit, error) { return splice.Set(n, path, v) }
}

func remove(path ...string) change {
	return func(n manifest.Node) ([]splice.Edit, error) { return splice.Delete(n, path) }
}

func setString(s string, path ...string) change {
	return func(n manifest.Node) ([]splice.Edit, error) { return splice.SetString(n.At(path...), s) }
}

func items(at, remove int, insert ...any) change {
	return func(n manifest.Node) ([]splice.Edit, error) {
		return splice.EditItems(n, []string{"a"}, splice.ItemChange{At: at, Remove: remove, Insert: insert})
	}
}

func TestTextIsChangedInItsOwnStyle(t *testing.T) {
	env := splice.Fields{{Key: "name", Value: "N"}, {Key: "value", Value: "1"}}
	cases := []struct {
		name, in string
		change   change
		out      string
	}{
		{"a plain string", "a: b # c\n", setString("d e", "a"), "a: d e # c\n"},
		{"a plain string that becomes a number's text", "a: b # c\n", setString("1", "a"), "a: \"1\" # c\n"},
		{"a single-quoted string", "a: 'b' # c\n", setString("it's", "a"), "a: 'it''s' # c\n"},
		{"a double-quoted string", "a: \"b\" # c\n", setString("x\ny", "a"), "a: \"x\\ny\" # c\n"},
		{"a literal string", "a: | # c\n    b\n\nd: e\n", setString("x\ny\n", "a"), "a: | # c\n    x\n    y\n\nd: e\n"},
		{"a literal string that loses its last line break", "a: |\n  b\nd: e\n", setString("x\ny", "a"), "a: |-\n  x\n  y\nd: e\n"},
		{"a folded string that becomes empty", "a: > # c\n  b\nd: e\n", setString("", "a"), "a: \"\" # c\nd: e\n"},
		{"a string in JSON", `{"a":1}`, setString("x", "a"), `{"a":"x"}`},
		{"a string that is not written", "a: # c\nb: 1\n", setString("x", "a"), "a: x # c\nb: 1\n"},

		{"an item after others", "a:\n- x # y\n# z\n", items(1, 0, env), "a:\n- x # y\n- name: \"N\"\n  value: \"1\"\n# z\n"},
		{"an item before others", "a:\n  - x\n", items(0, 0, "w"), "a:\n  - w\n  - x\n"},
		{"an item at the end of a text without a line break", "a:\n  - x", items(1, 0, "w"), "a:\n  - x\n  - w"},
		{"an item replaced", "a:\n  - x # y\n  - z\n", items(0, 1, env), "a:\n  - name: \"N\" # y\n    value: \"1\"\n  - z\n"},
		{"an item removed", "a:\n  - x\n  # y\n  - z: 1\n    w: 2\n  - u\n", items(1, 1), "a:\n  - x\n  # y\n  - u\n"},
		{"the last item removed", "a: # b\n  - x\nc: d\n", items(0, 1), "a: [] # b\nc: d\n"},
		{"an item in brackets", "a: [x, y]\n", items(1, 0, env), "a: [x, {name: \"N\", value: \"1\"}, y]\n"},
		{"an item in lines of JSON", "{\n \"a\": [\n  1\n ]\n}\n", items(1, 0, env), "{\n \"a\": [\n  1,\n  {\"name\":\"N\",\"value\":\"1\"}\n ]\n}\n"},
		{"an item in empty brackets", "a: []\n", items(0, 0, "x"), "a: [x]\n"},
		{"an item of a list that is null", "a: null # b\n", items(0, 0, "x"), "a: # b\n  - x\n"},
		{"an item of a list without a value", "a:\nb: c\n", items(0, 0, "x"), "a:\n  - x\nb: c\n"},
		{"an item of a missing list", "b: c\n", items(0, 0, "x"), "a:\n  - x\nb: c\n"},

		{"a mapping for a string", "a: b # c\nd: e\n", set(env, "a"), "a: # c\n  name: \"N\"\n  value: \"1\"\nd: e\n"},
		{"a string for a mapping", "a: # c\n  b: 1\nd: e\n", set("x", "a"), "a: x # c\nd: e\n"},
		{"a list for one that is not indented", "a:\n- x\nd: e\n", set([]any{"w", 1}, "a"), "a:\n- w\n- 1\nd: e\n"},
		{"lines for a string", "a:\n  b: c\n", set("x\ny\n", "a", "b"), "a:\n  b: |\n    x\n    y\n"},
		{"lines for a string in quotes", "a: 'b'\n", set("x\ny\n", "a"), "a: |\n  x\n  y\n"},
		{"a subtree of JSON", `{"a":{"b":1}}`, set([]any{true, nil}, "a", "b"), `{"a":{"b":[true,null]}}`},
		{"missing mappings", "d: e\n", set(1.5, "a", "b"), "a:\n  b: 1.5\nd: e\n"},
		{"an entry of many removed", "a:\n  b: 1\n  c:\n    - 2\n  # d\n", remove("a", "c"), "a:\n  b: 1\n  # d\n"},
		{"the only entry removed", "a: # b\n  c: 1\nd: e\n", remove("a", "c"), "a: {} # b\nd: e\n"},
		{"an entry after a dash removed", "- a: 1\n  b: 2\n", func(n manifest.Node) ([]splice.Edit, error) {
			for item := range n.Items() {
				return splice.Delete(item, []string{"a"})
			}
			return nil, nil
		}, "- b: 2\n"},
	}
	for _, c := range cases {
		d, err := manifest.Parse([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		edits, err := c.change(d.Root())
		splice.Sort(edits)
		if got := string(splice.Bytes(d.Text(), edits)); err != nil || got != c.out {
			t.Errorf("%s: %v\n%s\nis to be\n%s", c.name, err, got, c.out)
		}
	}
}

func TestWhatCannotBeChangedInPlaceIsReported(t *testing.T) {
	cases := []struct {
		name, in string
		change   change
	}{
		{"an alias", "b: &x {c: d}\na: *x\n", set(1, "a", "c")},
		{"a merge key", "b: &x {c: d}\na:\n  <<: *x\n", set(1, "a", "c")},
		{"a tag", "a: !!str 1\n", setString("x", "a")},
		{"a list with an anchor", "a: &x [1]\n", items(0, 1)},
		{"a line break that a block scalar would get", "a:\n- |\n  x", items(1, 0, "y")},
		{"a comment that a block scalar would get", "a:\n- |\n  x\n- y\n    # z\n", items(1, 1)},
		{"a key that is written twice", "a: 1\nb: 2\na: 3\n", remove("a")},
	}
	for _, c := range cases {
		d, err := manifest.Parse([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		if edits, err := c.change(d.Root()); !errors.Is(err, splice.ErrNotInPlace) {
			t.Errorf("%s: %v, %v", c.name, edits, err)
		}
	}
}

func TestWhatIsNoSuchPlaceIsReported(t *testing.T) {
	d, err := manifest.Parse([]byte("a: b\nc: [1]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var shape *splice.ShapeError
	for name, c := range map[string]change{
		"a is not a mapping": set(1, "a", "b"), "a is not a list": items(0, 0, 1), "the document is not a scalar": setString("x"),
	} {
		if _, err := c(d.Root()); !errors.As(err, &shape) || err.Error() != name {
			t.Errorf("%v, not %q", err, name)
		}
	}
	for name, c := range map[string]change{
		"no value": set(make(chan int), "a"), "no text": set("\xff", "a"), "a key twice": set(splice.Fields{{Key: "x"}, {Key: "x"}}, "a"),
		"no such item": func(n manifest.Node) ([]splice.Edit, error) {
			return splice.EditItems(n, []string{"c"}, splice.ItemChange{At: 1, Remove: 1})
		},
	} {
		if edits, err := c(d.Root()); err == nil {
			t.Errorf("%s: %v", name, edits)
		}
	}
}

func TestAWordIsReplacedWhereItIsWrittenAsItIs(t *testing.T) {
	for text, want := range map[string]string{
		"old": "new", "'old'": "'new'", `"old"`: `"new"`, "old # c": "new # c", "old, x": "new, x",
		"older": "", `"older"`: "", "": "", "'old": "",
	} {
		e, ok := splice.Word([]byte(text), 0, "old", "new")
		got := ""
		if ok {
			got = string(splice.Bytes([]byte(text), []splice.Edit{e}))
		}
		if got != want {
			t.Errorf("%s becomes %q, not %q", text, got, want)
		}
	}
}

// A word of letters alone is written without quotes where YAML reads it as a string, however it is spelled.
func TestWordsThatAreNoStringsAreQuoted(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n", "name", "key", "nan", "inf", "e", "x"} {
		for _, spelled := range []string{word, strings.ToUpper(word), strings.ToUpper(word[:1]) + word[1:]} {
			d, err := manifest.Parse([]byte("a: {}\n"))
			if err != nil {
				t.Fatal(err)
			}
			edits, err := splice.Set(d.Root(), []string{"a"}, spelled)
			if err != nil {
				t.Fatal(err)
			}
			got := splice.Bytes(d.Text(), edits)
			var is map[string]any
			if err := yaml.Unmarshal(got, &is); err != nil || is["a"] != spelled {
				t.Errorf("%s is %v in %q (%v)", spelled, is["a"], got, err)
			}
			bare, _ := manifest.Parse([]byte(spelled))
			isString := bare.Root().Type() == manifest.String
			if isQuoted := strings.Contains(string(got), `"`); isQuoted == isString {
				t.Errorf("%s, of which it is %v that it is a string, is written as %q", spelled, isString, got)
			}
		}
	}
}
