package objects

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// Anything is the key under which what can make keys that are not known stands.
const Anything = "*"

// Producer is an object of the input or the context that makes a ConfigMap or Secret in the cluster.
type Producer struct {
	Kind      string
	Namespace string // "" where it is not known
	Name      string
	Written   string // the name of the first of what it makes, as it is written
	Offset    int    // where in its text
	Context   bool   // that text is one of the context's, not the input

	node  manifest.Node
	group string
	row   *row
}

// String returns "Kind namespace/name".
func (m *Producer) String() string { return manifest.Describe(m.Kind, m.Namespace, m.Name) }

// Node returns the object's place in its text.
func (m *Producer) Node() manifest.Node { return m.node }

// Refresh returns the path, from Node, of annotations whose change makes the operator fetch again; nil where there are
// none.
func (m *Producer) Refresh() []string { return m.row.refresh }

// Refresh returns the same path for an object that is in no index.
func Refresh(o manifest.Object) []string {
	for i := range table[o.Kind] {
		if p := &table[o.Kind][i]; p.refresh != nil && p.fits(o) {
			return p.refresh
		}
	}
	return nil
}

// RemoteRef is a place in a store that the content of a key comes from, with the answer where there is one.
type RemoteRef struct {
	Producer *Producer
	Key      string // Anything where keys are not known
	Ref      sources.Ref
	Answer   sources.Answer // empty where nobody was asked
	Node     manifest.Node  // where a version can be written; not Valid where none can
}

// making is the content of one object while it is put together from one producer.
type making struct {
	index    *Index
	producer *Producer
	target   name // what is made
	out      *Content
	pairs    []Pair
	depth    int
	wants    wanted

	key    string // which is being made
	class  string
	reader canonical.Reader
}

// opened returns the values of what was decrypted.
func (k *making) opened() (values []Pair, ok bool) {
	values, ok = k.index.shared.opened[k.producer]
	return values, ok
}

// put makes the stand-in of a key; build may raise the class.
func (k *making) put(key, class string, build func() canonical.Value) {
	if k.skip(key) {
		return
	}
	k.begin(key, class)
	k.end(build())
}

// skip reports whether nobody wants a key's value. The key is there nevertheless.
func (k *making) skip(key string) bool {
	if k.wants.keys == nil || key == Anything || k.wants.keys(key) {
		return false
	}
	k.pairs = append(k.pairs, Pair{Key: key, StandIn: true})
	return true
}

// begin and end are put in two steps.
func (k *making) begin(key, class string) { k.key, k.class = key, class }

func (k *making) end(v canonical.Value) {
	if k.wants.asked {
		return
	}
	from := len(k.out.buf)
	k.out.buf = canonical.StandIn(k.out.buf, k.class, v)
	k.pairs = append(k.pairs, Pair{Key: k.key, Value: redact.New(k.out.buf[from:len(k.out.buf):len(k.out.buf)]), StandIn: true})
}

// answered adds to a part, which is nobody else's, what the lock or a store says of it: the version, or the digest of a
// value. source is the field of the part that pins a version.
func (k *making) answered(part *canonical.Value, source string, ref sources.Ref, at manifest.Node) {
	k.out.RemoteRefs = append(k.out.RemoteRefs, RemoteRef{Producer: k.producer, Key: k.key, Ref: ref, Node: at})
	answers := k.index.shared.answers
	if answers == nil {
		return
	}
	asked := &k.out.RemoteRefs[len(k.out.RemoteRefs)-1]
	if pinned, ok := sources.Pinned(ref); ok {
		asked.Answer.Version = pinned
		*part = part.Set(source+".version", canonical.Value{})
	} else {
		asked.Answer = answers.Of(&asked.Ref, &k.out.cursor)
	}
	switch a := &asked.Answer; {
	case a.Version == sources.Lease:
		k.unversioned(Made)
	case a.Version != "":
		part.Add("version", canonical.String(a.Version))
		if k.class == canonical.ClassSpec {
			k.class = canonical.ClassVersion
		}
	case a.Digest != "":
		part.Add("value", canonical.String(a.Digest))
		k.class = canonical.ClassValue
	}
}

func (m *Producer) kindAndGroup() string { return strings.ToLower(m.Kind + "." + m.group) }

// maxMade bounds templates from Secrets that are made by templates from Secrets, and copies of copies.
const maxMade = 8

// decodeMade adds what the producers of an object make to what it has itself.
func (o *Object) decodeMade(c *Content, depth int, wants wanted) {
	own, producers := len(c.Pairs), o.producers
	if o.node.Valid() || len(producers) > 1 {
		producers = o.Producers()
	}
	var several [][]Pair
	for _, m := range producers {
		k := o.making(c, m, depth)
		k.wants = wants
		if len(producers) == 1 {
			k.pairs = c.Pairs[own:]
		}
		k.make()
		k.pairs = lastOfEach(k.pairs)
		if len(producers) == 1 {
			c.Pairs = append(c.Pairs, k.pairs...) // mostly in place
		} else {
			several = append(several, k.pairs)
		}
	}
	if len(producers) > 1 {
		c.Pairs = append(c.Pairs, union(several)...)
	}
	if own > 0 {
		c.Pairs = lastOfEach(c.Pairs)
	}
}

// making begins the content of what one producer makes, in the memory of the content's buffer where nothing else uses
// that.
func (o *Object) making(c *Content, m *Producer, depth int) *making {
	k := c.making
	if k == nil || depth > 0 {
		k = new(making)
	}
	*k = making{index: o.index, producer: m, target: name{o.Kind, o.Name}, out: c, depth: depth, reader: k.reader.Reuse()}
	return k
}

// make asks the producer's row.
func (k *making) make() {
	if _, opened := k.opened(); opened {
		k.out.Fetched = true
	}
	if why := k.producer.row.versionless; why != "" {
		k.unversioned(why)
	}
	asked := len(k.out.RemoteRefs)
	if k.producer.row.content != nil {
		k.producer.row.content(k)
	} else {
		byRow(k)
	}
	k.out.looked = k.out.looked || k.out.Beyond
	if len(k.out.RemoteRefs) > asked && k.index.shared.answers != nil {
		k.out.Beyond = true
	}
}

// union is what several producers make together. Nothing says which of two writes a key last, so both count, in no
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
			for _, one := range out[i:n] {
				parts.Items = append(parts.Items, canonical.String(string(one.Value.Reveal())))
			}
			p.Value = redact.New(canonical.StandIn(nil, canonical.ClassSpec, canonical.Value{Shape: canonical.Map}.With("parts", parts)))
		}
		joined = append(joined, p)
		i = n
	}
	return joined
}

// templated reports whether a template's text takes anything in.
func templated(t []byte) bool { return bytes.Contains(t, []byte("{{")) }

// Stale reports why the operator does not fetch again what the object makes, so that a changed digest restarts pods
// without effect; "" where it does.
func (m *Producer) Stale() string {
	if m.row.refresh == nil || m.group != externalGroup {
		return ""
	}
	spec := m.node.Get("spec")
	if m.Kind == "ClusterExternalSecret" {
		spec = spec.Get("externalSecretSpec")
	}
	interval, err := time.ParseDuration(spec.Get("refreshInterval").StringValue())
	switch policy := spec.Get("refreshPolicy").StringValue(); {
	case spec.At("target", "immutable").IsTrue():
		return "target.immutable is set: what has been fetched once never changes"
	case policy == "CreatedOnce":
		return "refreshPolicy is CreatedOnce: nothing is fetched a second time"
	case policy != "OnChange" && err == nil && interval <= 0:
		return "refreshInterval is 0: nothing is fetched a second time"
	}
	return ""
}
