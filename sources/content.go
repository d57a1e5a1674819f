package sources

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
)

// Object is a ConfigMap or Secret of the input.
type Object struct {
	Kind      string
	Namespace string // "" where it is not known
	Name      string
	Offset    int // where in the text

	node    manifest.Node
	index   *Index
	seen    bool // the content was decoded once
	invalid []Invalid
}

// Pair is one key with the bytes that a container reads under it.
type Pair struct {
	Key   string
	Value redact.Secret
}

// Content is what an object holds for containers.
type Content struct {
	Pairs   []Pair    // sorted by key, each once
	Invalid []Invalid // sorted by key: what the API server would refuse
	Unknown string    // why the content is not plain, or ""

	buf []byte // holds the values that are not a part of the text
}

// Invalid is a key whose value Kubernetes does not take; Key is "" where the whole field is wrong. Problem holds no value.
type Invalid struct {
	Key     string
	Problem string
	Offset  int
}

// Keep makes the object independent of the reader that found it.
func (o *Object) Keep(d *manifest.Document) { o.node = o.node.In(d) }

// String gives "Kind namespace/name".
func (o *Object) String() string { return manifest.Describe(o.Kind, o.Namespace, o.Name) }

// Immutable tells whether the object says that it never changes: the kubelet does not watch it then.
func (o *Object) Immutable() bool { return o.node.Get("immutable").True() }

// Labels gives the object's labels.
func (o *Object) Labels() map[string]string { return manifest.Object{Node: o.node}.Labels() }

// Annotation gives a value of the object's annotations.
func (o *Object) Annotation(key string) string { return manifest.Object{Node: o.node}.Annotation(key) }

// Content decodes what the object holds. It is good until the content of another object of the same Index is asked for: the
// contents of thousands of objects are gone through one after the other, in the same memory.
func (o *Object) Content() *Content {
	if o.index.current != o {
		o.index.current = o
		o.decode(&o.index.content)
		o.seen, o.invalid = true, slices.Clone(o.index.content.Invalid)
	}
	return &o.index.content
}

// Invalid gives what the API server would refuse, as Content does, without decoding a second time.
func (o *Object) Invalid() []Invalid {
	if !o.seen {
		o.Content()
	}
	return o.invalid
}

// field is a field of a ConfigMap or Secret that holds content. Of two that hold one key, the later wins where it may replace.
type field struct {
	name     string
	base64   bool
	replaces bool
}

var contentFields = map[string][]field{
	"ConfigMap": {{name: "data"}, {name: "binaryData", base64: true}},
	"Secret":    {{name: "data", base64: true}, {name: "stringData", replaces: true}},
}

func (o *Object) decode(c *Content) {
	*c = Content{Pairs: c.Pairs[:0], Invalid: c.Invalid[:0], buf: c.buf[:0], Unknown: o.notPlain()}
	if c.Unknown != "" {
		return
	}
	for _, f := range contentFields[o.Kind] {
		n := o.node.Get(f.name)
		if n.Valid() && !n.IsMap() && n.Type() != manifest.Null {
			c.fail(n, "", f.name+" is not a mapping")
		}
		before, failed := len(c.Pairs), len(c.Invalid)
		var taken map[string]bool
		if before > 0 && !f.replaces {
			taken = map[string]bool{}
			for _, p := range c.Pairs {
				taken[p.Key] = true
			}
		}
		for e := n.Fields(); e.Next(); {
			key := e.Key.Field()
			value, problem := c.value(e.Value, f)
			if problem != "" {
				c.fail(e.Value, key, fmt.Sprintf("the value of key %q in %s is %s", key, f.name, problem))
				continue
			}
			if taken[key] {
				c.fail(e.Value, key, fmt.Sprintf("key %q is in both data and binaryData", key))
			}
			c.Pairs = append(c.Pairs, Pair{key, redact.New(value)})
		}
		if len(c.Invalid) > failed {
			c.dropReplaced(n, before, failed)
		}
	}
	c.Pairs = lastOfEach(c.Pairs)
	slices.SortStableFunc(c.Invalid, func(a, b Invalid) int { return strings.Compare(a.Key, b.Key) })
}

// dropReplaced takes out what is invalid in a field and written again later in it, and what is valid and then written again as
// invalid. pairs and invalid are how many there were before the field.
func (c *Content) dropReplaced(n manifest.Node, pairs, invalid int) {
	last := map[string]int{}
	for e := n.Fields(); e.Next(); {
		last[e.Key.Field()] = e.Value.Offset()
	}
	bad := map[string]bool{}
	kept := c.Invalid[:invalid]
	for _, v := range c.Invalid[invalid:] {
		if at, written := last[v.Key]; !written || at == v.Offset {
			kept = append(kept, v)
			bad[v.Key] = true
		}
	}
	c.Invalid = kept
	c.Pairs = append(c.Pairs[:pairs], slices.DeleteFunc(c.Pairs[pairs:], func(p Pair) bool { return bad[p.Key] })...)
}

func (c *Content) fail(n manifest.Node, key, problem string) {
	c.Invalid = append(c.Invalid, Invalid{Key: key, Problem: problem, Offset: n.Offset()})
}

// lastOfEach sorts pairs by key and keeps the last of those with one key.
func lastOfEach(ps []Pair) []Pair {
	byKey := func(a, b Pair) int { return strings.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(ps, byKey) {
		slices.SortStableFunc(ps, byKey)
	}
	out := ps[:0]
	for i, p := range ps {
		if i+1 == len(ps) || ps[i+1].Key != p.Key {
			out = append(out, p)
		}
	}
	return out
}

// value gives the bytes of one value, or what is wrong with it.
func (c *Content) value(v manifest.Node, f field) (value []byte, problem string) {
	switch v.Type() {
	case manifest.Null:
		return nil, ""
	case manifest.String:
	case manifest.Other:
		return nil, "not a string but a mapping or sequence"
	default:
		return nil, "not a string but a number or boolean"
	}
	value, c.buf = v.AppendValue(c.buf)
	if !f.base64 {
		return value, ""
	}
	from := len(c.buf)
	buf, err := base64.StdEncoding.AppendDecode(c.buf, value)
	if err != nil {
		return nil, "invalid base64" // the library's error would name a position in the value
	}
	c.buf = buf
	return buf[from:len(buf):len(buf)], ""
}

// notPlain tells why the object's values are not what a container will read.
func (o *Object) notPlain() string {
	if o.node.Get("sops").IsMap() {
		return "encrypted with SOPS"
	}
	vault := o.Annotation("avp.kubernetes.io/path") != ""
	for _, f := range []string{"data", "stringData"} {
		for e := o.node.Get(f).Fields(); e.Next(); {
			t := e.Value.Raw()
			if bytes.IndexByte(t, '<') < 0 && bytes.IndexByte(t, '\\') < 0 {
				continue
			}
			if bytes.Contains(t, escapedBracket) {
				t = e.Value.Value()
			}
			if placeholder(t, "<path:") || placeholder(t, "<secret:") || vault && word(t) {
				return "holds placeholders of another tool"
			}
		}
	}
	return ""
}

// escapedBracket is how Go's JSON encoder writes "<".
var escapedBracket = []byte(`\u003c`)

// placeholder tells whether text holds open, something, and ">".
func placeholder(text []byte, open string) bool {
	for {
		i := bytes.Index(text, []byte(open))
		if i < 0 {
			return false
		}
		text = text[i+len(open):]
		if end := bytes.IndexByte(text, '>'); end != 0 {
			return end > 0
		}
	}
}

// word tells whether text holds a word in angle brackets.
func word(text []byte) bool {
	open := -1
	for i, b := range text {
		switch b {
		case '<':
			if open < 0 {
				open = i
			}
		case '>':
			if open >= 0 && i > open+1 {
				return true
			}
			open = -1
		case ' ', '\t', '\r', '\n':
			open = -1
		}
	}
	return false
}

// Differing gives the keys of o whose values are not those of twin, the same object in another render of the same input.
// A nil twin differs in every key.
func (o *Object) Differing(twin *Object) []string {
	var keys []string
	other := map[string]redact.Secret{}
	if twin != nil {
		for _, p := range twin.Content().Pairs {
			other[p.Key] = p.Value
		}
	}
	for _, p := range o.Content().Pairs {
		if v, ok := other[p.Key]; !ok || !bytes.Equal(v.Reveal(), p.Value.Reveal()) {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// Exact gives the object of that kind, namespace and name, or nil.
func (x *Index) Exact(kind, namespace, object string) *Object {
	return x.entries[id{name{kind, object}, x.home(namespace)}].object
}
