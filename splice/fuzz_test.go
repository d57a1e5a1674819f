package splice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// texts are documents in the styles that YAML and JSON are written in.
var texts = []string{
	"{a, b: {c, d: [e]}, \"f\" , g: }\n", "spec: {path: x, wait, template: {metadata, spec: {a}}}\n",
	"a: 1\nb:\n  c: x\n  d: [1, two]\ne:\n- p\n- q: 1\n  r: 2\n# end\n",
	"a:\n  b:\n    - name: X\n      value: '1'\n    # about Y\n    - name: Y # here\n      value: \"2\"\n  c: {}\n  d: []\n",
	"a:\nb: ~\nc: null # why\nd: \"q\" # r\ne: 's''t'\nf: |\n  one\n  two\n\ng: >-\n  three\n  four\n",
	"a: |+\n  x\n\n\nb: |-\n  y\n    # no comment\nc: 1",
	"- - a\n  - b\n-\n  c: 1\n- {d: e, f: [g, h]}\n- ~\n",
	`{"a":{"b":[{"name":"X","value":"1"},{"name":"Y"}],"c":1,"d":null},"e":[1,2,"3"],"f":[]}`,
	"{\n  \"a\": {\n    \"b\": [\n      1,\n      2\n    ],\n    \"c\": true\n  }\n}\n",
	"a: {b: c, d: {e: f}}\ng: [ 1, {h: i} ]\n",
	"a: 1\r\nb:\r\n  - x\r\n  - y: |\r\n      1\r\n      2\r\n",
	"a:\n- |\n  x\n- y\n    # deep\nb:\n  c: d\n      # deeper\ne: f\n",
	"a: plain text\n   over lines\nb:\n  \"quoted: key\":\n    - z\n",
	"---\n# head\na:\n    deep: 1\n    list:\n    - k: |\n        l\n\n        m\n",
}

// parse returns the document as Kubernetes reads it, or false where that is not one thing: a key is written twice, or
// it is no document.
func parse(t *testing.T, text []byte) (d *manifest.Document, v any, ok bool) {
	t.Helper()
	d, err := manifest.Parse(text)
	if err != nil || !d.Root().Valid() || len(d.Duplicates()) > 0 || d.End != len(text) {
		return nil, nil, false
	}
	if err := yaml.UnmarshalStrict(d.Body(), &v); err != nil || !fieldsAreKeys(d.Root()) {
		return nil, nil, false
	}
	return d, v, true
}

// fieldsAreKeys reports whether all keys are strings that Kubernetes takes as they are.
func fieldsAreKeys(n manifest.Node) bool {
	for k, v := range n.Entries() {
		if k.Type() != manifest.String || !fieldsAreKeys(v) {
			return false
		}
	}
	for item := range n.Items() {
		if !fieldsAreKeys(item) {
			return false
		}
	}
	return true
}

// place is a node of a document with the keys and indices that lead to it.
type place struct {
	node manifest.Node
	path []any
}

// places returns all nodes of a document, its root first.
func places(n manifest.Node, path []any) []place {
	out := []place{{n, path}}
	for k, v := range n.Entries() {
		out = append(out, places(v, append(slices.Clone(path), k.Text()))...)
	}
	i := 0
	for item := range n.Items() {
		out = append(out, places(item, append(slices.Clone(path), i))...)
		i++
	}
	return out
}

// pick returns one of the places that a filter takes.
func pick(d *manifest.Document, which uint8, take func(manifest.Node) bool) (place, bool) {
	all := slices.DeleteFunc(places(d.Root(), nil), func(p place) bool { return !take(p.node) })
	if len(all) == 0 {
		return place{}, false
	}
	return all[int(which)%len(all)], true
}

// edited returns a copy of v in which change has been made to what is at path.
func edited(v any, path []any, change func(any) any) any {
	if len(path) == 0 {
		return change(v)
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = x
		}
		out[path[0].(string)] = edited(v[path[0].(string)], path[1:], change)
		return out
	case []any:
		out := slices.Clone(v)
		out[path[0].(int)] = edited(v[path[0].(int)], path[1:], change)
		return out
	}
	return v
}

// decode returns what is written in JSON as Kubernetes would read it, as value and as Set takes it.
func decode(t *testing.T, text string) (any, bool) {
	t.Helper()
	if !utf8.ValidString(text) {
		return nil, false
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text, true
	}
	return v, fits(v)
}

// fits reports whether keys are such as Set takes.
func fits(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if len(k) > 100 || k == "<<" || !fits(x) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(x any) bool { return !fits(x) })
	}
	return true
}

// same compares values as JSON.
func same(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	var u, v any
	return err == nil && err2 == nil && json.Unmarshal(x, &u) == nil && json.Unmarshal(y, &v) == nil &&
		reflect.DeepEqual(u, v)
}

// apply applies edits, which must be within the text and apart from each other, and reads what comes out.
func apply(t *testing.T, text []byte, edits []splice.Edit) (out []byte, d *manifest.Document, v any) {
	t.Helper()
	splice.Sort(edits)
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			t.Fatalf("edits overlap or are outside: %v\n%q", edits, text)
		}
		if e.Text == string(text[e.Start:e.End]) {
			t.Fatalf("an edit changes nothing: %v\n%q", edits, text)
		}
		at = e.End
	}
	out = splice.Bytes(text, edits)
	var b bytes.Buffer
	if n, err := splice.Apply(&b, text, edits); err != nil || n != int64(len(out)) || !bytes.Equal(b.Bytes(), out) ||
		splice.Size(text, edits) != len(out) {
		t.Fatalf("Apply and Bytes differ: %q, %q", b.Bytes(), out)
	}
	d, err := manifest.Parse(out)
	if err != nil {
		t.Fatalf("not readable: %v\n%q\n%q", err, text, out)
	}
	if err := yaml.UnmarshalStrict(d.Body(), &v); err != nil {
		t.Fatalf("not readable to Kubernetes: %v\n%q\n%q", err, text, out)
	}
	if first := bytes.TrimLeft(text, " \n"); json.Valid(text) && len(first) > 0 && bytes.IndexByte([]byte(`{`), first[0]) >= 0 && !json.Valid(out) {
		t.Fatalf("JSON is none any more:\n%s\n%s", text, out)
	}
	return out, d, v
}

// isRefused reports whether an error is one that callers are to expect.
func isRefused(t *testing.T, text []byte, err error) bool {
	t.Helper()
	var shape *splice.ShapeError
	if err != nil && !errors.Is(err, splice.ErrNotInPlace) && !errors.As(err, &shape) {
		t.Fatalf("%v\n%q", err, text)
	}
	return err != nil
}

func FuzzStrings(f *testing.F) {
	for i, text := range texts {
		for k, s := range []string{"x", "", "true", "1.5", "a: b", "two\nlines\n", " '\"\\", "x\n\n", "#", "last\nline", "\u0085\u2028\t"} {
			f.Add([]byte(text), uint8(i*7+k), s)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, which uint8, s string) {
		d, before, ok := parse(t, text)
		if !ok || !utf8.ValidString(s) {
			return
		}
		p, ok := pick(d, which, manifest.Node.IsScalar)
		if !ok {
			return
		}
		old, wasString := p.node.Text(), p.node.Type() == manifest.String
		edits, err := splice.SetString(p.node, s)
		if isRefused(t, text, err) {
			return
		}
		out, again, after := apply(t, text, edits)
		if want := edited(before, p.path, func(any) any { return s }); !same(after, want) {
			t.Fatalf("%v of\n%q\nis to be %q, and is\n%q\n%v\n%v", p.path, text, s, out, after, want)
		}
		node := follow(again.Root(), p.path)
		if more, err := splice.SetString(node, s); err != nil && again.Fast() || len(more) > 0 {
			t.Fatalf("again: %v, %v\n%q\n%q", more, err, text, out)
		}
		if back, err := splice.SetString(node, old); wasString && err == nil {
			if _, _, v := apply(t, out, back); !same(v, before) {
				t.Fatalf("back: %v\n%q\n%q", v, text, out)
			}
		}
	})
}

// follow goes to the node at a path of keys and indices.
func follow(n manifest.Node, path []any) manifest.Node {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			_, n = n.OwnEntry(step)
		case int:
			i := 0
			for item := range n.Items() {
				if i == step {
					n = item
					break
				}
				i++
			}
		}
	}
	return n
}

func FuzzSubtrees(f *testing.F) {
	values := []string{`"x"`, `null`, `{}`, `[]`, `[1,"a",{"b":[null,true]}]`, `{"a":{"b":"c\nd\n"},"e":["f\ng",[[]]]}`, "1.5", "lines\nof text", `["x\n\ny\n"]`}
	for i, text := range texts {
		for k, v := range values {
			f.Add([]byte(text), uint8(i+k), uint8(k), v, "new/deep")
			f.Add([]byte(text), uint8(i+k), uint8(k), v, "")
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, which, child uint8, valueText, keys string) {
		d, before, ok := parse(t, text)
		v, fine := decode(t, valueText)
		if !ok || !fine {
			return
		}
		p, ok := pick(d, which, manifest.Node.IsMap)
		if !ok {
			return
		}
		path := keysBelow(p.node, child, keys)
		if slices.ContainsFunc(path, func(k string) bool { return len(k) > 100 || k == "<<" || !utf8.ValidString(k) }) {
			return
		}
		edits, err := splice.Set(p.node, path, v)
		if isRefused(t, text, err) {
			return
		}
		out, again, after := apply(t, text, edits)
		want := edited(before, p.path, func(m any) any { return withKey(m.(map[string]any), path, v) })
		if !same(after, want) {
			t.Fatalf("%v %v of\n%q\nis to be %q, and is\n%q\n%v\n%v", p.path, path, text, valueText, out, after, want)
		}
		node := follow(again.Root(), p.path)
		if more, err := splice.Set(node, path, v); err != nil && again.Fast() || len(more) > 0 {
			t.Fatalf("again: %v, %v\n%q\n%q", more, err, text, out)
		}
		_, had := p.node.OwnEntry(path[0])
		remove, err := splice.Delete(node, path[:1])
		if isRefused(t, out, err) {
			if !had.Valid() && again.Fast() {
				t.Fatalf("cannot be taken out again: %v\n%q\n%q", err, text, out)
			}
			return
		}
		back, _, bare := apply(t, out, remove)
		if want := edited(before, p.path, func(m any) any { return without(m.(map[string]any), path[0]) }); !same(
			bare,
			want,
		) {
			t.Fatalf("without %v %v\n%q\nis\n%q\n%v", p.path, path, out, back, bare)
		}
		if !had.Valid() && !bytes.Equal(back, text) {
			t.Fatalf("not undone:\n%q\n%q\n%q", text, out, back)
		}
	})
}

// keysBelow returns keys that are in the mapping, or new ones.
func keysBelow(n manifest.Node, child uint8, keys string) []string {
	if keys != "" || n.Len() == 0 {
		return strings.Split(keys+"/k", "/")
	}
	var own []string
	for k := range n.Entries() {
		own = append(own, k.Text())
	}
	path := []string{own[int(child)%len(own)]}
	if _, v := n.OwnEntry(path[0]); v.Type() == manifest.Null && child%2 == 1 {
		path = append(path, "below")
	}
	return path
}

func withKey(m map[string]any, path []string, v any) any {
	out := map[string]any{}
	for k, x := range m {
		out[k] = x
	}
	if len(path) > 1 {
		inner, _ := m[path[0]].(map[string]any)
		v = withKey(inner, path[1:], v)
	}
	out[path[0]] = v
	return out
}

func without(m map[string]any, key string) any {
	out := map[string]any{}
	for k, x := range m {
		if k != key {
			out[k] = x
		}
	}
	return out
}

func FuzzItems(f *testing.F) {
	values := []string{`["x"]`, `[{"name":"N","value":"v\nw\n"},[[1]]]`, `[]`, `[null]`, `[{"a":{},"b":[]},"y\nz"]`}
	for i, text := range texts {
		for k, v := range values {
			f.Add([]byte(text), uint8(i+k), uint8(k), uint8(k%3), v)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, which, at, remove uint8, valueText string) {
		d, before, ok := parse(t, text)
		v, fine := decode(t, valueText)
		inserts, isList := v.([]any)
		if !ok || !fine || !isList {
			return
		}
		p, ok := pick(d, which, manifest.Node.IsSeq)
		if !ok {
			return
		}
		length := p.node.Len()
		c := splice.ItemChange{At: int(at) % (length + 1), Insert: inserts}
		c.Remove = int(remove) % (length - c.At + 1)
		n, path := parentOf(d, p)
		edits, err := splice.EditItems(n, path, c)
		if isRefused(t, text, err) {
			return
		}
		out, again, after := apply(t, text, edits)
		want := edited(before, p.path, func(l any) any {
			return slices.Replace(slices.Clone(l.([]any)), c.At, c.At+c.Remove, inserts...)
		})
		if !same(after, want) {
			t.Fatalf("%v %+v of\n%q\nis\n%q\n%v\n%v", p.path, c, text, out, after, want)
		}
		if len(inserts) == c.Remove && !again.Fast() {
			return
		}
		n, path = parentOf(again, place{path: p.path})
		if len(inserts) == c.Remove {
			if more, err := splice.EditItems(n, path, c); err != nil || len(more) > 0 {
				t.Fatalf("again: %v, %v\n%q\n%q", more, err, text, out)
			}
		}
		if c.Remove > 0 {
			return
		}
		undo, err := splice.EditItems(n, path, splice.ItemChange{At: c.At, Remove: len(inserts)})
		if isRefused(t, out, err) {
			if again.Fast() {
				t.Fatalf("cannot be taken out again: %v\n%q\n%q", err, text, out)
			}
			return
		}
		if back := splice.Bytes(out, undo); !bytes.Equal(back, text) {
			t.Fatalf("not undone:\n%q\n%q\n%q", text, out, back)
		}
	})
}

// parentOf returns a list by the mapping that it is in and its key, or by itself.
func parentOf(d *manifest.Document, p place) (manifest.Node, []string) {
	if len(p.path) > 0 {
		if key, ok := p.path[len(p.path)-1].(string); ok {
			return follow(d.Root(), p.path[:len(p.path)-1]), []string{key}
		}
	}
	return follow(d.Root(), p.path), nil
}

func FuzzEntries(f *testing.F) {
	for i, text := range texts {
		for k, s := range []string{"x", "", "true", "a: b", "'\"", "v1-00ff", "1"} {
			f.Add([]byte(text), uint8(i+k), "own/b", s, s+"2")
			f.Add([]byte(text), uint8(i+k), "own/"+s, s, "y")
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, which uint8, key, first, second string) {
		d, before, ok := parse(t, text)
		key = "own/" + key
		if !ok || !utf8.ValidString(key) || !utf8.ValidString(first) || !utf8.ValidString(second) || len(key) > 100 || bytes.Contains(text, []byte("own")) {
			return
		}
		p, ok := pick(d, which, func(n manifest.Node) bool { return n.IsMap() })
		if !ok || p.node.IsAliased() {
			return
		}
		claim := func(key string) splice.Claim {
			if strings.HasPrefix(key, "own/") {
				return splice.Owned
			}
			return splice.Foreign
		}
		edit := func(n manifest.Node, entries ...splice.Entry) ([]splice.Edit, bool) {
			s, err := splice.Locate(n, nil, claim)
			if isRefused(t, text, err) {
				return nil, false
			}
			return s.Edits(entries, nil), true
		}
		one, two := splice.Entry{Key: key, Value: first}, splice.Entry{Key: key + "2", Value: second, Quoted: true}
		edits, ok := edit(p.node, one, two)
		if !ok {
			return
		}
		out, again, after := apply(t, text, edits)
		want := edited(before, p.path, func(m any) any {
			return withKey(withKey(m.(map[string]any), []string{one.Key}, first).(map[string]any), []string{two.Key}, second)
		})
		if !same(after, want) {
			t.Fatalf("%v of\n%q\nis\n%q\n%v\n%v", p.path, text, out, after, want)
		}
		more, ok := edit(follow(again.Root(), p.path), one, two)
		if !ok {
			return // what is written with escapes cannot be found again
		}
		if len(more) > 0 {
			t.Fatalf("again: %v\n%q\n%q", more, text, out)
		}
		two.Value = first
		more, _ = edit(follow(again.Root(), p.path), two)
		if _, _, v := apply(t, out, more); !same(v, edited(before, p.path, func(m any) any {
			return withKey(m.(map[string]any), []string{two.Key}, first)
		})) {
			t.Fatalf("changed to %v\n%q\n%v", v, out, more)
		}
		gone, _ := edit(follow(again.Root(), p.path))
		if _, _, v := apply(t, out, gone); !same(v, before) {
			t.Fatalf("not undone:\n%q\n%q\n%v", text, out, gone)
		}
	})
}
