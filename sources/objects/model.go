package objects

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// Pair is one key with the bytes that a container reads under it, or a stand-in for them.
type Pair struct {
	Key     string
	Value   redact.Secret
	StandIn bool // the bytes are no value: see docs/content-v1.md
	Secrecy redact.Secrecy
}

// Content is what an object holds for containers. A Resolution fills it; whoever passes one again reuses its memory.
type Content struct {
	Pairs      []Pair      // sorted by key, each once; Anything for keys that are not known
	Invalid    []Invalid   // sorted by key: what the API server would refuse
	RemoteRefs []RemoteRef // the places in stores that it comes from

	Unversioned []Unversioned // what it comes from and nobody can be asked for

	Fetched bool // a value was decrypted
	Named   bool // the name of the object ends in a hash of what was decrypted
	Plain   bool // a stand-in has the value of a Secret in it
	Beyond  bool // something else than the text of its producers shapes it: another object, the lock, a store

	dependent bool           // another object shapes it
	decoder   *decoder       // of the object's own values, where some are stand-ins
	buf       []byte         // the values that are not a part of the text
	builder   builder        // of what producers add
	cursor    sources.Cursor // among the answers
}

// reset empties a content and keeps its memory.
func (c *Content) reset() {
	c.Pairs, c.Invalid, c.RemoteRefs, c.Unversioned = c.Pairs[:0], c.Invalid[:0], c.RemoteRefs[:0], c.Unversioned[:0]
	c.Fetched, c.Plain, c.Beyond, c.dependent = false, false, false, false
	c.decoder, c.buf = nil, c.buf[:0]
}

// Has reports whether a key is named.
func (c *Content) Has(key string) bool {
	_, ok := slices.BinarySearchFunc(c.Pairs, key, func(p Pair, key string) int { return strings.Compare(p.Key, key) })
	return ok
}

// IsVersioned reports whether nothing but the versions of stores shapes the content, with the text of its producer.
func (c *Content) IsVersioned() bool {
	return !c.dependent && !c.Fetched && !c.Plain && len(c.Invalid) == 0 && len(c.Unversioned) == 0
}

func (c *Content) addUnversioned(u Unversioned) {
	if !slices.Contains(c.Unversioned, u) {
		c.Unversioned = append(c.Unversioned, u)
	}
}

// RemoteRef is a place in a store that the content of a key comes from, with the answer where there is one.
type RemoteRef struct {
	Producer *Producer
	Key      string // Anything where keys are not known
	Ref      sources.Ref
	Answer   sources.Answer // empty where nobody was asked
	Node     manifest.Node  // where a version can be written; not Valid where none can
}

// Unversioned is something that an object comes from and that counts by what its manifest says under each policy,
// because nobody can be asked for its version.
type Unversioned struct {
	Producer *Producer // nil where the object itself holds placeholders
	Why      Versionless
	Rule     int // which of the configuration's says so, where one does
}

// Versionless says why something has no version that could be asked for.
type Versionless string

// The reasons.
const (
	// Made is what produces the value itself, again for each that reads it or when it likes: a lease, a certificate, a
	// password.
	Made Versionless = "made"
	// Fetched is what comes from a store in a way that rollstamp cannot follow: there may be a version, and nobody asks
	// for it.
	Fetched Versionless = "fetched"
	// Unasked is what comes from a store that could be asked, if the user wanted that.
	Unasked Versionless = "unasked"
	// Metadata is what a store has of a value, tags and the like, which change without a new version.
	Metadata Versionless = "metadata"
	// Chosen is what comes from a store that could be asked, if a rule of the configuration did not say otherwise.
	Chosen Versionless = "chosen"
	// NotLocked is what the lock does not have, and the configuration lets it count by its manifest then.
	NotLocked Versionless = "not locked"
)

// Producer is an object of the input or the context that produces a ConfigMap or Secret in the cluster.
type Producer struct {
	Kind      string
	Namespace string // "" where it is not known
	Name      string
	Written   string // the name of the first of what it produces, as it is written
	Offset    int    // where in its text
	Context   bool   // that text is one of the context's, not the input

	node     manifest.Node
	embedded *redact.Embedded
	left     string // why a change of its manifest changes nothing in the cluster
	group    string
	row      *row
	problems []Invalid // what its operator would refuse
	keys     []keyRef  // where these are all that shapes what it produces, but for their store; node lacks them then
}

// row says of a kind what its objects produce, and what shapes the content. The built-in rows and the rules of the
// configuration are rows. What shapes the content is a part of the contract in docs/content-v1.md.
type row struct {
	group  string // the API group, or its end behind a dot; "" for any
	except string // a group of any that has a row of its own
	exact  bool   // the group is all of it, and "" the core group
	// has reports whether an object produces anything, where nearly none of the kind does; nil where each does.
	has func(manifest.Object) bool
	// needs is the path of a field without which, or with false in which, nothing is produced; unless are paths of
	// fields with which nothing is.
	needs  []string
	unless [][]string

	kind      string                // of what is produced
	name      []config.NameTemplate // the first that leads somewhere counts; none: the producer's own name
	ownName   bool                  // where none leads anywhere, the producer's own name
	namesOf   namesOf               // instead of name, where templates cannot say it; nil for none
	yields    bool                  // produced only where nothing else produces an object of that name
	generated bool                  // a name that the API server will generate counts as one
	space     string                // the field beside the name that holds the namespace; "" for the producer's own
	namespace config.Path           // the path of the namespace, instead
	anywhere  bool                  // it produces copies in several namespaces
	kindAt    []string              // path of the kind that is produced, where it is not kind
	policyAt  []string              // path of a policy that may say "None": nothing is produced then
	level     int                   // the level of coverage that added the row; 0 is the first
	encrypted bool                  // a decrypter can decrypt it; its values are the content then, where content is nil
	// same reports whether two that produce one object, and yield, produce the same, so that one counts; nil where that
	// is not known.
	same  func(a, b manifest.Node) bool
	bare  bool   // what is produced has none of the producer's labels and annotations
	asked string // what stands in secrets.ask for it; "" for its kind

	// Where content is nil, parts and keys shape it.
	content func(*builder)
	parts   parts
	keys    *keyParts
	ref     func(*builder, canonical.Value) sources.Ref
	more    func(*builder, *canonical.Value) // adds fields to the content, by what is in its spec

	merge    merge    // nil for config.MergeIgnore
	copiedBy []string // path of the annotations that what is produced gets
	refresh  []string // path of annotations whose change makes the operator fetch again; nil where none does

	// read finds out what can be known of the object by itself; nil for rows without.
	read func(*reading, manifest.Node)
	// writes returns the keys of what is produced that have no part of their own in the content; nil where they are not
	// known.
	writes func(producer manifest.Node) []string
	// stale returns why the operator does not fetch again, "" where it does; nil where nothing is known.
	stale func(manifest.Node) string
	// chooses reports whether it produces an object in a namespace; nil where it does in each.
	chooses func(producer manifest.Node, of target, namespace string, labels labelSet) bool
	// original returns what it copies into an object, where it does; nil where it copies nothing.
	original func(producer manifest.Node, of target) (from id, ok bool)
	// lists returns the objects that it copies by their kinds; nil where it copies none so.
	lists func(producer manifest.Node) []generated
	// sources returns what it may copy at all, whatever that is called then; nil where it copies nothing.
	sources func(producer manifest.Node) []cloneSource
	// reaches reports whether it produces in a namespace, by the stores that it names; nil where stores do not matter. The
	// namespace is "" where it is not known.
	reaches func(p *Producer, namespace string, lookup lookupFunc) bool
	// versionless is why nobody can be asked for a version of all that it produces; "" where somebody can, or all of it
	// lies in Git.
	versionless Versionless

	rule   *config.ProducerRule // of the configuration that the row comes from; nil for a built-in one
	ruleAt int                  // which of them
}

// A namesOf calls visit with each object that o produces; without a namespace it lies in that of o.
type namesOf func(o manifest.Object, visit func(kind, name, namespace string))

// A lookupFunc returns a store, a generator or the like; a node that is not Valid where there is none.
type lookupFunc func(kind, namespace, name string) manifest.Node

// A merge returns how what a producer makes joins a ConfigMap or Secret of that name in the input.
type merge func(producer, own manifest.Object) config.MergeStrategy

// always returns a merge that does not depend on the objects.
func always(strategy config.MergeStrategy) merge {
	return func(_, _ manifest.Object) config.MergeStrategy { return strategy }
}

// operator is what is known of one operator: its rows by kind, the kinds that produce nothing and that these refer to,
// with their groups, and where its objects hold secrets.
type operator struct {
	rows     map[string][]row
	refersTo map[string]string
	secrets  []secretPlaces
}

// secretPlaces are where objects of some kinds hold values that are secrets in their own manifests.
type secretPlaces struct {
	groups string   // how their API groups end; "" is any
	kinds  []string // nil are all kinds of these groups
	places []redact.Place
}

// literalsAt returns the places of literals in templates of Secrets.
func literalsAt(paths ...string) []redact.Place {
	out := make([]redact.Place, len(paths))
	for i, path := range paths {
		out[i] = redact.Place{At: fields(path), Fields: []string{"data", "stringData"}, Literals: true}
	}
	return out
}

func (p *secretPlaces) of(group, kind string) bool {
	return strings.HasSuffix(group, p.groups) && (p.kinds == nil || slices.Contains(p.kinds, kind))
}

// decoder reads a ConfigMap or Secret some of whose values are stand-ins.
type decoder struct {
	kind         string
	node         manifest.Node
	sops         bool
	placeholders placeholders
	hasFound     bool     // a placeholder
	asks         *builder // where versions of places are asked for; nil where not
}

// target is the kind and name of what is produced.
type target struct{ kind, name string }

// builder puts the content of one object together from one producer.
type builder struct {
	producer *Producer
	target   target
	out      *Content
	pairs    []Pair
	depth    int // of objects whose content asked for this one
	request  request

	environment environment
	answers     *sources.Answers // nil under the policy spec
	isAnswered  bool             // something of the content is
	plaintext   []Pair           // of a producer that was decrypted
	isDecrypted bool
	secrecy     redact.Secrecy // of what other objects add

	key    string // whose stand-in is being built
	class  string
	reader canonical.Reader
}

// request is what of an object's content is wanted; the zero value is all.
type request struct {
	keys     func(key string) bool // those whose values are; nil for all
	refs     func(key string) bool // those whose places in stores are; nil for all
	onlyRefs bool                  // nothing but where it comes from
	// questions takes the places that pin no version, instead of the content; nil for none.
	questions *[]sources.Ref
}

// environment is what content can depend on, with the text of its producer.
type environment interface {
	// options returns what was chosen for all contents.
	options() *Options
	// lookup returns a store, a generator or the like; a node that is not Valid where there is none.
	lookup(kind, namespace, name string) manifest.Node
	// value returns what a ConfigMap or Secret has under a key; isObject reports whether there is such an object.
	value(kind, namespace, name, key string, depth int) (p Pair, hasKey, isObject bool)
}

// Options are how an input is read.
type Options struct {
	Namespace string // of objects that name none; "" where it is not known
	// StandIn is the namespace that a render shows where it does not know the real one, as charts do without one; "" for
	// none. A place in a store does not count as lying in it.
	StandIn string
	Level   int // of coverage
	Rules   []config.ProducerRule
	// CountAddresses lets the addresses of stores be part of the stand-ins of their values.
	CountAddresses bool
	// Ask are kinds whose places in stores are asked for; without it they count by their manifest under each policy.
	Ask []string
	// ByManifest reports whether what an object fetches from a store counts by its manifest though others are asked for,
	// and by which rule of the configuration, -1 for none; nil where nothing does. by is nil for placeholders.
	ByManifest func(store sources.Store, by *Producer) (rule int, ok bool)
	// KeepNodes keeps the nodes of all places where a version can be written.
	KeepNodes bool
	// BaseName derives the name of a ConfigMap, a Secret, or what an object produces, from the one that is written; nil
	// takes it as it is.
	BaseName func(o manifest.Object, written string) string
}

// asksFor reports whether the places in stores that objects of a kind name are asked for.
func (o *Options) asksFor(kind string) bool { return slices.Contains(o.Ask, kind) }
