package objects

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

// Object is a ConfigMap or Secret of the input or the context, or one that something there makes.
type Object struct {
	Kind      string
	Namespace string // "" where it is not known
	Name      string
	Offset    int // where in the text

	node      manifest.Node // not Valid where it will be made
	index     *Index
	producers []*Producer
	copies    bool     // a tool copies another object into it
	decoder   *decoder // of stand-ins; known once the content was decoded
	seen      bool     // the content was decoded once
	invalid   []Invalid
}

// Pair is one key with the bytes that a container reads under it, or a stand-in for them.
type Pair struct {
	Key     string
	Value   redact.Secret
	StandIn bool // the bytes are no value: see docs/content-v1.md
}

// Content is what an object holds for containers.
type Content struct {
	Pairs      []Pair      // sorted by key, each once; Anything for keys that are not known
	Invalid    []Invalid   // sorted by key: what the API server would refuse
	RemoteRefs []RemoteRef // the places in stores that it comes from

	Unversioned []Unversioned // what it comes from and nobody can be asked for

	Fetched bool // a value was decrypted
	Plain   bool // a stand-in has the value of a Secret in it
	Beyond  bool // something beside the producers' own text shapes it: another object, the lock, a store

	looked bool           // another object shapes it
	buf    []byte         // holds the values that are not a part of the text
	making *making        // of its buffer; nil where another content needs this one
	cursor sources.Cursor // where the contents of its buffer have come to among the answers
}

// Has reports whether a key is named.
func (c *Content) Has(key string) bool {
	_, ok := slices.BinarySearchFunc(c.Pairs, key, func(p Pair, key string) int { return strings.Compare(p.Key, key) })
	return ok
}

// Invalid is a key whose value Kubernetes does not take; Key is "" where the whole field is wrong. Problem holds no
// value.
type Invalid struct {
	Key          string
	Problem      string
	Offset       int
	Tolerated    bool // worth a finding, and no error even where it is consumed
	BlocksAsking bool // no store can be asked because of it: an error, Tolerated or not, where one would be
}

// String returns "Kind namespace/name".
func (o *Object) String() string { return manifest.Describe(o.Kind, o.Namespace, o.Name) }

// Immutable reports whether the object says that it never changes: the kubelet does not watch it then.
func (o *Object) Immutable() bool { return o.node.Get("immutable").IsTrue() }

// Producers returns what makes the object, or adds to it, in the order of the input.
func (o *Object) Producers() []*Producer {
	var out []*Producer
	for _, m := range o.producers {
		if o.takes(m) {
			out = append(out, m)
		}
	}
	return out
}

// takes reports whether a producer shapes the object: one that is in the input itself says what it holds, but for what
// joins it.
func (o *Object) takes(m *Producer) bool {
	return !o.node.Valid() || o.mergeOf(m) != config.MergeIgnore
}

// mergeOf returns how what a producer makes joins what the object holds itself.
func (o *Object) mergeOf(m *Producer) config.MergeStrategy {
	if m.row.merge == nil {
		return config.MergeIgnore
	}
	return m.row.merge(manifest.Object{Node: m.node}, manifest.Object{Node: o.node})
}

// ReadsStores reports whether the content can come from a store: something makes the object, or a tool copies into it
// what may be made, or its values are placeholders that are asked for.
func (o *Object) ReadsStores() bool {
	return len(o.producers) > 0 || o.copies || o.asksForPlaceholders()
}

// IsProduced reports whether nothing but its producers makes the object.
func (o *Object) IsProduced() bool { return !o.node.Valid() }

// Labels returns the object's labels; of one that will be made, those of the first that makes it.
func (o *Object) Labels() map[string]string { return manifest.Object{Node: o.written()}.Labels() }

// Annotation returns a value of the object's annotations; of one that will be made, those of the first that makes it.
func (o *Object) Annotation(key string) string {
	return manifest.Object{Node: o.written()}.Annotation(key)
}

func (o *Object) written() manifest.Node {
	if o.node.Valid() || len(o.producers) == 0 {
		return o.node
	}
	return o.producers[0].node
}

// Buffer is memory for one content at a time: what is decoded into it replaces what it held before. The zero value is
// ready.
type Buffer struct {
	content Content
	making  making
}

// Content decodes what the object holds into a buffer, or, where that is nil, into memory of its own.
func (o *Object) Content(in *Buffer) *Content {
	c := o.decodeInto(in, wanted{})
	if !o.seen {
		o.seen, o.invalid = true, slices.Clone(c.Invalid)
	}
	return c
}

// Select is Content where only keys that has wants need a value: of something that is produced, the others have none.
func (o *Object) Select(in *Buffer, has func(key string) bool) *Content {
	if o.node.Valid() {
		return o.Content(in)
	}
	return o.decodeInto(in, wanted{keys: has})
}

// Only returns what Select does for the keys that has wants, in the same memory; ok reports whether that follows from
// all of the content. It does where nothing but the versions of stores shapes it beside the producer's own text.
func (c *Content) Only(has func(key string) bool) (only *Content, ok bool) {
	if c.looked || c.Fetched || c.Plain || len(c.Invalid) > 0 || len(c.Unversioned) > 0 {
		return nil, false
	}
	out := *c
	out.RemoteRefs = nil
	for i := range c.RemoteRefs {
		if r := &c.RemoteRefs[i]; r.Key == Anything || has(r.Key) {
			out.RemoteRefs = append(out.RemoteRefs, *r)
		}
	}
	out.Beyond = c.Beyond && len(out.RemoteRefs) > 0
	return &out, true
}

// RemoteRefs returns the places in stores that the content comes from, as Content does, and makes nothing of it.
func (o *Object) RemoteRefs(in *Buffer) []RemoteRef {
	return o.decodeInto(in, wanted{asked: true}).RemoteRefs
}

func (o *Object) decodeInto(in *Buffer, wants wanted) *Content {
	if in == nil {
		in = new(Buffer)
	}
	in.content.making = &in.making
	o.decode(&in.content, 0, wants)
	return &in.content
}

// wanted is what of an object's content is wanted; the zero value is all.
type wanted struct {
	keys  func(key string) bool // those whose values are; nil for all
	asked bool                  // nothing but where it comes from
}

// Invalid returns what the API server would refuse, as Content does; what was decoded before is not decoded again.
func (o *Object) Invalid(in *Buffer) []Invalid {
	if !o.seen {
		o.Content(in)
	}
	return o.invalid
}

// field is a field of a ConfigMap or Secret that holds content. Of two that hold one key, the later wins where it may
// replace.
type field struct {
	name     string
	base64   bool
	replaces bool
}

var contentFields = map[string][]field{
	"ConfigMap": {{name: "data"}, {name: "binaryData", base64: true}},
	"Secret":    {{name: "data", base64: true}, {name: "stringData", replaces: true}},
}

// decode fills c with what is wanted. depth counts the objects whose content asked for this one.
func (o *Object) decode(c *Content, depth int, wants wanted) {
	*c = Content{
		Pairs: c.Pairs[:0], Invalid: c.Invalid[:0], RemoteRefs: c.RemoteRefs[:0], Unversioned: c.Unversioned[:0],
		buf: c.buf[:0], making: c.making, cursor: c.cursor,
	}
	if from := o.CopyOf(); from != nil && depth < maxMade {
		from.decode(c, depth+1, wants)
		return
	}
	if o.node.Valid() && (!wants.asked || o.asksForPlaceholders()) { // anything else that it holds itself is asked for nowhere
		o.decodeOwn(c)
		o.makeWay(c)
	}
	if len(o.producers) > 0 {
		o.decodeMade(c, depth, wants)
	}
}

// makeWay takes out what does not stay where something else writes into the object.
func (o *Object) makeWay(c *Content) {
	for _, m := range o.producers {
		switch o.mergeOf(m) {
		case config.MergeReplace:
			c.Pairs, c.Fetched, o.decoder = c.Pairs[:0], false, nil
		case config.MergeFill:
			c.Pairs = slices.DeleteFunc(c.Pairs, func(p Pair) bool { return len(p.Value.Reveal()) == 0 })
		}
	}
}

// decodeOwn takes what the object holds itself.
func (o *Object) decodeOwn(c *Content) {
	if d := o.odd(); d != nil {
		o.decoder = d
		if !d.sops && !d.ignore && o.index.shared.ask[sources.Placeholders] {
			d.ask = &making{index: o.index, out: c}
		}
		for _, f := range contentFields[o.Kind] {
			for e := o.node.Get(f.name).Fields(); e.Next(); {
				c.Pairs = append(c.Pairs, d.odd(e.Key.Field(), e.Value, f))
			}
		}
		if d.held && d.ask == nil {
			c.unversioned(Unversioned{Why: Fetched})
		}
		if opened, ok := o.index.shared.openedObjects[o]; ok {
			c.Pairs, c.Fetched = append(c.Pairs, opened...), true
		}
		c.Pairs = lastOfEach(c.Pairs)
		return
	}
	for _, f := range contentFields[o.Kind] {
		n := o.node.Get(f.name)
		if n.Valid() && !n.IsMap() && n.Type() != manifest.Null {
			c.fail(n, "", f.name+" is not a mapping")
		}
		before, failed := len(c.Pairs), len(c.Invalid)
		var taken map[string]bool
		if before > 0 && !f.replaces && n.Len() > 0 {
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
			c.Pairs = append(c.Pairs, Pair{Key: key, Value: redact.New(value)})
			if fromVault(value) {
				c.unversioned(Unversioned{Why: Fetched})
			}
		}
		if len(c.Invalid) > failed {
			c.dropReplaced(n, before, failed)
		}
	}
	c.Pairs = lastOfEach(c.Pairs)
	slices.SortStableFunc(c.Invalid, func(a, b Invalid) int { return strings.Compare(a.Key, b.Key) })
}

// dropReplaced takes out what is invalid in a field and written again later in it, and what is valid and then written
// again as invalid. pairs and invalid are how many there were before the field.
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

// value returns the bytes of one value, or what is wrong with it.
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

// Differing returns the keys of o whose values are not those of other, the same object in another render of the same
// input. A nil other differs in every key.
func (o *Object) Differing(other *Object, in *[2]Buffer) []string {
	var keys []string
	values := map[string]redact.Secret{}
	if other != nil {
		for _, p := range other.Content(&in[0]).Pairs {
			values[p.Key] = p.Value
		}
	}
	for _, p := range o.Content(&in[1]).Pairs {
		if v, ok := values[p.Key]; !ok || !bytes.Equal(v.Reveal(), p.Value.Reveal()) {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// Exact returns the object of that kind, namespace and name, or nil.
func (x *Index) Exact(kind, namespace, object string) *Object {
	return x.stored(kind, x.home(namespace), object)
}

// stored is Exact for a namespace as the objects of the index have it.
func (x *Index) stored(kind, namespace, object string) *Object {
	e, _ := x.entries[kind][object].in(namespace)
	return e.object
}
