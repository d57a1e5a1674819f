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
	content *Content
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
func (o *Object) Immutable() bool { return o.node.Get("immutable").Text() == "true" }

// Labels gives the object's labels.
func (o *Object) Labels() map[string]string { return manifest.Object{Node: o.node}.Labels() }

// Annotation gives a value of the object's annotations.
func (o *Object) Annotation(key string) string { return manifest.Object{Node: o.node}.Annotation(key) }

// Content decodes what the object holds, once.
func (o *Object) Content() *Content {
	if o.content == nil {
		o.content = o.decode()
	}
	return o.content
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

func (o *Object) decode() *Content {
	c := &Content{Unknown: o.notPlain()}
	if c.Unknown != "" {
		return c
	}
	type held struct {
		value redact.Secret
		field int
	}
	values := map[string]held{}
	fail := func(n manifest.Node, key, format string, args ...any) {
		c.Invalid = append(c.Invalid, Invalid{Key: key, Problem: fmt.Sprintf(format, args...), Offset: n.Offset()})
	}
	for i, f := range contentFields[o.Kind] {
		n := o.node.Get(f.name)
		if n.Valid() && !n.IsMap() && n.Type() != manifest.Null {
			fail(n, "", "%s is not a mapping", f.name)
		}
		for k, v := range n.Entries() {
			key := k.Field()
			value, problem := f.decode(v)
			if problem != "" {
				fail(v, key, "%s of key %q in %s", problem, key, f.name)
				continue
			}
			if old, twice := values[key]; twice && old.field != i && !f.replaces {
				fail(v, key, "key %q is in both data and binaryData", key)
			}
			values[key] = held{redact.New(value), i}
		}
	}
	c.Pairs = make([]Pair, 0, len(values))
	for k, v := range values {
		c.Pairs = append(c.Pairs, Pair{k, v.value})
	}
	slices.SortFunc(c.Pairs, func(a, b Pair) int { return strings.Compare(a.Key, b.Key) })
	slices.SortStableFunc(c.Invalid, func(a, b Invalid) int { return strings.Compare(a.Key, b.Key) })
	return c
}

// decode gives the bytes of one value, or what is wrong with it.
func (f field) decode(v manifest.Node) ([]byte, string) {
	switch v.Type() {
	case manifest.Null:
		return nil, ""
	case manifest.String:
	case manifest.Other:
		return nil, "the value is not a string but a mapping or sequence"
	default:
		return nil, "the value is not a string but a number or boolean"
	}
	text := v.Value()
	if !f.base64 {
		return text, ""
	}
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(out, text)
	if err != nil {
		return nil, "invalid base64" // the library's error would name a position in the value
	}
	return out[:n], ""
}

// notPlain tells why the object's values are not what a container will read.
func (o *Object) notPlain() string {
	if o.node.Get("sops").IsMap() {
		return "encrypted with SOPS"
	}
	vault := o.Annotation("avp.kubernetes.io/path") != ""
	for _, f := range []string{"data", "stringData"} {
		for _, v := range o.node.Get(f).Entries() {
			if !v.IsScalar() {
				continue
			}
			if t := v.Value(); placeholder(t, []byte("<path:")) || placeholder(t, []byte("<secret:")) || vault && placeholder(t, []byte("<")) {
				return "holds placeholders of another tool"
			}
		}
	}
	return ""
}

// placeholder tells whether text holds open, something, and ">".
func placeholder(text, open []byte) bool {
	i := bytes.Index(text, open)
	if i < 0 {
		return false
	}
	rest := text[i+len(open):]
	end := bytes.IndexByte(rest, '>')
	if end <= 0 {
		return false
	}
	return len(open) > 1 || !bytes.ContainsAny(rest[:end], " \t\r\n") || placeholder(rest, open)
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
func (x *Index) Exact(kind, namespace, name string) *Object {
	for _, e := range x.entries[id{kind, name}] {
		if e.object != nil && e.namespace == x.home(namespace) {
			return e.object
		}
	}
	return nil
}
