package objects

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// Resolution is an index with what was found out about it: what was decrypted, and what the lock or stores answer.
// Nothing changes it, and the contents of objects are read from it.
type Resolution struct {
	index     *Index
	answers   *sources.Answers // nil under the policy spec
	producers map[*Producer][]Pair
	objects   map[*Object][]Pair
	named     map[*Object]bool // those whose names end in a hash of their plaintext
	input     surroundings
	context   surroundings // of what lies in the context
}

// Resolve returns what is known of the objects of an index, with plaintexts in place of ciphertexts and no answers.
func Resolve(x *Index, plaintexts ...Plaintext) *Resolution {
	r := &Resolution{index: x}
	for _, p := range plaintexts {
		if p.producer != nil {
			if r.producers == nil {
				r.producers = map[*Producer][]Pair{}
			}
			r.producers[p.producer] = p.pairs
			continue
		}
		if r.objects == nil {
			r.objects, r.named = map[*Object][]Pair{}, map[*Object]bool{}
		}
		r.objects[p.object], r.named[p.object] = p.pairs, p.named
	}
	r.input, r.context = surroundings{r, x}, surroundings{r, x.context}
	return r
}

// IsCiphertext reports whether something of an object is encrypted, and was not decrypted.
func (r *Resolution) IsCiphertext(o *Object) bool {
	if _, known := r.objects[o]; !o.IsProduced() && !known && isSOPS(o.node) {
		return true
	}
	return r.IsSealed(o)
}

// IsSealed reports whether a SealedSecret makes an object, or a part of it, and was not decrypted.
func (r *Resolution) IsSealed(o *Object) bool {
	return slices.ContainsFunc(o.producers, func(p *Producer) bool {
		_, known := r.producers[p]
		return p.row.encrypted && !known
	})
}

// HasHiddenVariables reports whether an object was decrypted, and holds variables: Flux substitutes them after that.
func (r *Resolution) HasHiddenVariables(o *Object) bool {
	return slices.ContainsFunc(r.objects[o], func(p Pair) bool { return bytes.Contains(p.Value.Reveal(), []byte("${")) })
}

// WithAnswers returns the same with what a lock or stores say of RemoteRefs: contents hold versions then.
func (r *Resolution) WithAnswers(answers *sources.Answers) *Resolution {
	out := *r
	out.answers = answers
	out.input.resolution, out.context.resolution = &out, &out
	return &out
}

// Read fills a content with what an object holds.
func (r *Resolution) Read(o *Object, c *Content) { r.read(o, c, 0, request{}) }

// ReadKeys is Read where only keys that has wants need a value: of something that is produced, the others have none.
func (r *Resolution) ReadKeys(o *Object, c *Content, has func(key string) bool) {
	if !o.IsProduced() {
		has = nil
	}
	r.read(o, c, 0, request{keys: has})
}

// ReadWhole is Read where only of keys that has wants the places in stores are.
func (r *Resolution) ReadWhole(o *Object, c *Content, has func(key string) bool) {
	r.read(o, c, 0, request{refs: has})
}

// ReadRefs fills in the places in stores that the content comes from, as Read does, and nothing else.
func (r *Resolution) ReadRefs(o *Object, c *Content) { r.read(o, c, 0, request{onlyRefs: true}) }

// AppendQuestions appends the places that ReadRefs finds and that pin no version. There may be tens of thousands: only
// those of placeholders are in the content.
func (r *Resolution) AppendQuestions(to *[]sources.Ref, o *Object, c *Content) {
	r.read(o, c, 0, request{onlyRefs: true, questions: to})
	for i := range c.RemoteRefs {
		if at := &c.RemoteRefs[i]; !at.Answer.ByManifest && !sources.IsPinned(&at.Ref) {
			*to = append(*to, at.Ref)
		}
	}
}

// Differing returns the keys of an object whose values are not those of another one: the same object in another render
// of the same input, or nil, which differs in every key.
func (r *Resolution) Differing(o *Object, other *Resolution, same *Object, memory *[2]Content) []string {
	values := map[string]redact.Secret{}
	if same != nil {
		other.Read(same, &memory[0])
		for _, p := range memory[0].Pairs {
			values[p.Key] = p.Value
		}
	}
	r.Read(o, &memory[1])
	var keys []string
	for _, p := range memory[1].Pairs {
		if v, ok := values[p.Key]; !ok || !bytes.Equal(v.Reveal(), p.Value.Reveal()) {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// maxDepth bounds templates from Secrets that are produced by templates from Secrets, and copies of copies.
const maxDepth = 8

// read fills a content with what is wanted of an object. depth counts the objects whose content asked for this one.
func (r *Resolution) read(o *Object, c *Content, depth int, wants request) {
	c.reset()
	for depth < maxDepth {
		from := r.index.CopyOf(o)
		if from == nil {
			break
		}
		o, depth = from, depth+1
	}
	// without placeholders nothing that an object holds itself is asked for
	if o.node.Valid() && (!wants.onlyRefs || r.index.asksForPlaceholders(o)) {
		r.readOwn(o, c)
		if o.embedded != nil {
			c.addSecrecy(o)
		}
		o.applyMerges(c)
	}
	if len(o.producers) > 0 {
		r.addProduced(o, c, depth, wants)
	}
}

// readOwn takes what an object holds itself.
func (r *Resolution) readOwn(o *Object, c *Content) {
	d := newDecoder(o.Kind, o.node)
	plaintext, isDecrypted := r.objects[o]
	c.Named = r.named[o]
	switch {
	case d == nil && isDecrypted: // a file in it is what was encrypted
		c.Pairs, c.Fetched = append(c.Pairs, plaintext...), true
		return
	case d == nil:
		c.readFields(o.Kind, o.node)
		return
	}
	c.decoder = d
	if !d.sops && !d.placeholders.ignored && r.index.opts.asksFor(sources.Placeholders) {
		d.asks = &builder{out: c, answers: r.answers, environment: &r.input}
	}
	for _, f := range contentFields[o.Kind] {
		for e := o.node.Get(f.name).Fields(); e.Next(); {
			c.Pairs = append(c.Pairs, d.pair(e.Key.Field(), e.Value, f))
		}
	}
	if d.hasFound && d.asks == nil {
		c.addUnversioned(Unversioned{Why: Fetched})
	}
	if isDecrypted {
		c.Pairs, c.Fetched = append(c.Pairs, plaintext...), true
	}
	c.Pairs = lastOfEach(c.Pairs)
}

// addSecrecy notes which values of an object have one of a Secret in them.
func (c *Content) addSecrecy(o *Object) {
	var names []string
	for _, f := range contentFields[o.Kind] {
		names = append(names, f.name)
	}
	for i := range c.Pairs {
		c.Pairs[i].Secrecy = o.embedded.Of(names, c.Pairs[i].Key)
	}
}

// applyMerges takes out of a content what does not stay where something else writes into the object.
func (o *Object) applyMerges(c *Content) {
	for _, p := range o.producers {
		switch o.mergeOf(p) {
		case config.MergeReplace:
			c.Pairs, c.Fetched, c.decoder = c.Pairs[:0], false, nil
		case config.MergeFill:
			c.Pairs = slices.DeleteFunc(c.Pairs, func(p Pair) bool { return len(p.Value.Reveal()) == 0 })
		}
	}
}

// addProduced adds what the producers of an object put into it to what it has itself.
func (r *Resolution) addProduced(o *Object, c *Content, depth int, wants request) {
	before, producers := len(c.Pairs), o.Producers()
	var several [][]Pair
	for _, p := range producers {
		b := r.begin(o, p, c)
		b.depth, b.request = depth, wants
		if len(producers) == 1 {
			b.pairs = c.Pairs[before:]
		}
		b.build()
		b.pairs = lastOfEach(b.pairs)
		b.addSecrecy()
		if len(producers) == 1 {
			c.Pairs = append(c.Pairs, b.pairs...) // mostly in place
		} else {
			several = append(several, b.pairs)
		}
	}
	if len(producers) > 1 {
		c.Pairs = append(c.Pairs, union(several)...)
	}
	if before > 0 {
		c.Pairs = lastOfEach(c.Pairs)
	}
}

// addSecrecy notes that all that a producer puts into an object may have a value of a Secret in it.
func (b *builder) addSecrecy() {
	of := max(b.producer.embedded.Whole(), b.secrecy)
	if of == redact.Public {
		return
	}
	for i := range b.pairs {
		b.pairs[i].Secrecy = of
	}
}

// begin returns the content's builder for what one producer puts into an object.
func (r *Resolution) begin(o *Object, p *Producer, c *Content) *builder {
	b := &c.builder
	*b = builder{producer: p, target: target{o.Kind, o.Name}, out: c, answers: r.answers, reader: b.reader.Reuse()}
	b.plaintext, b.isDecrypted = r.producers[p]
	b.environment = &r.input
	if o.inContext {
		b.environment = &r.context
	}
	return b
}

// union is what several producers put together. Nothing says which of two writes a key last, so both count, in no
// order.
func union(all [][]Pair) []Pair {
	var out []Pair
	for _, pairs := range all {
		out = append(out, pairs...)
	}
	slices.SortStableFunc(out, func(a, b Pair) int { return strings.Compare(a.Key, b.Key) })
	joined := out[:0:0]
	for i := 0; i < len(out); {
		n := i + 1
		for n < len(out) && out[n].Key == out[i].Key {
			n++
		}
		p := out[i]
		if n > i+1 {
			parts := canonical.Value{Shape: canonical.Set}
			secrecy := redact.Public
			for _, one := range out[i:n] {
				secrecy = max(secrecy, one.Secrecy)
				parts.Items = append(parts.Items, canonical.String(string(one.Value.Reveal())))
			}
			p = standIn(p.Key, canonical.ClassSpec, canonical.Value{Shape: canonical.Map}.With("parts", parts))
			p.Secrecy = secrecy
		}
		joined = append(joined, p)
		i = n
	}
	return joined
}

// surroundings are the environment of contents in the input, or in the context.
type surroundings struct {
	resolution *Resolution
	index      *Index
}

func (s *surroundings) options() *Options { return &s.resolution.index.opts }

func (s *surroundings) lookup(kind, namespace, name string) manifest.Node {
	return s.index.lookup(kind, namespace, name)
}

func (s *surroundings) value(kind, namespace, name, key string, depth int) (p Pair, hasKey, isObject bool) {
	o, _ := s.index.Find(kind, namespace, name)
	if o == nil || depth >= maxDepth {
		return Pair{}, false, false
	}
	var c Content
	s.resolution.read(o, &c, depth+1, request{keys: func(k string) bool { return k == key }})
	for _, p := range c.Pairs {
		if p.Key == key {
			return p, true, true
		}
	}
	return Pair{}, false, true
}
