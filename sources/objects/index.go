// Package objects indexes the ConfigMaps and Secrets of an input, resolves their content, and knows what produces
// others in the cluster.
package objects

import (
	"iter"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
)

// Where a reference's object was found, when it is no producer "Kind/name".
const (
	Stream    = "stream"    // in the input
	Context   = "context"   // in manifests that are only looked up
	Absent    = "absent"    // nowhere in the input
	Ambiguous = "ambiguous" // in several namespaces of the input, and nothing says which
)

// Index knows every object of an input that is, or will make, a ConfigMap or Secret.
type Index struct {
	namespace string // of objects that name none; "" where it is not known
	level     int
	rules     []row  // of the configuration
	context   *Index // where to look for what is not in the input; nil for none
	outside   bool   // this is the context of another
	shared    *shared
	base      func(manifest.Object, string) string // the name of what an object makes, without what was added to it; nil takes it as it is
	entries   map[string]map[string]homes          // by kind and name
	looked    map[id]manifest.Node                 // stores and generators
	objects   []*Object
	made      []*Object // that will be made, unless they are in the input too
	producers []*Producer
	known     map[known]struct{} // what makes objects
	copies    []spread
}

// shared is what an index and its context have in common: what was asked for, and what was found out after both had
// been read.
type shared struct {
	addresses     bool                 // of stores count
	ask           map[string]bool      // kinds whose places in stores are asked for, though they have counted by their manifest
	answers       *sources.Answers     // nil under the policy spec
	opened        map[*Producer][]Pair // decrypted
	openedObjects map[*Object][]Pair
	namespaces    map[string]manifest.Node // the Namespaces that are known, by name
}

type name struct{ kind, name string }

// id is a name in a namespace; "" fits any.
type id struct {
	name
	namespace string
}

// known is an object that makes others.
type known struct {
	id
	group string
}

// entry is the way to get an object: one in the input, else one that will be made.
type entry struct {
	source string
	object *Object
}

// homes are the entries of one kind and name, by namespace. Nearly always there is one.
type homes struct {
	first  string // the namespace of the first
	entry  entry  // there
	others map[string]entry
}

// in returns the entry in a namespace.
func (h homes) in(namespace string) (e entry, ok bool) {
	if h.first == namespace && h.entry.object != nil {
		return h.entry, true
	}
	e, ok = h.others[namespace]
	return e, ok
}

// with returns the same with another entry in a namespace.
func (h homes) with(namespace string, e entry) homes {
	switch {
	case h.entry.object == nil || h.first == namespace:
		h.first, h.entry = namespace, e
	case h.others == nil:
		h.others = map[string]entry{namespace: e}
	default:
		h.others[namespace] = e
	}
	return h
}

// NewIndex makes an index for an input whose objects lie in namespace where they name none; "" where that is not known.
// Level and rules say what makes Secrets and ConfigMaps.
func NewIndex(namespace string, level int, rules []config.ProducerRule) *Index {
	return &Index{namespace: namespace, level: level, rules: rowsOf(rules), shared: &shared{}, entries: map[string]map[string]homes{}}
}

// CountAddresses lets the addresses of stores be part of the stand-ins of their values. It is for what is asked later,
// and for the context too.
func (x *Index) CountAddresses() { x.shared.addresses = true }

// AskFor lets the places in stores that objects of some kinds name be asked for; without it they count by their
// manifest under each policy. It is for what is asked later, and for the context too.
func (x *Index) AskFor(kinds ...string) {
	x.shared.ask = map[string]bool{}
	for _, kind := range kinds {
		x.shared.ask[kind] = true
	}
}

// Base sets how to derive the name of what an object makes from the one that is written. It is for what is
// added later.
func (x *Index) Base(of func(o manifest.Object, written string) string) { x.base = of }

// NewContext makes an index for manifests that are only looked up, for what x does not have. There is one at most.
func (x *Index) NewContext() *Index {
	x.context = NewIndex("", x.level, nil)
	x.context.rules = x.rules
	x.context.shared, x.context.outside, x.context.base = x.shared, true, x.base
	return x.context
}

// Concerns reports whether Add would do anything with an object of that kind.
func (x *Index) Concerns(kind string) bool {
	_, known := table[kind]
	return known || kind == configMap || kind == secret || kind == kubeNamespace || lookedUp[kind] != "" ||
		len(x.rules) > 0 && slices.ContainsFunc(x.rules, func(r row) bool { return string(r.rule.Kind) == kind })
}

// Add takes an object into the index. It returns the Object where it is a ConfigMap or Secret itself, and whether one
// of the same kind, name and namespace was there before: of ConfigMaps and Secrets the last one counts. keep gives a
// copy of the object's document that stays valid.
func (x *Index) Add(o manifest.Object, keep func() *manifest.Document) (added *Object, again bool) {
	if o.Name == "" {
		return nil, false
	}
	ns := x.home(o.Namespace)
	x.noteLookedUp(o, ns, keep)
	if (o.Kind == configMap || o.Kind == secret) && o.APIVersion == "v1" {
		added = &Object{Kind: o.Kind, Namespace: ns, Name: o.Name, Offset: o.Node.Offset(), node: o.Node.In(keep()), index: x}
		again = x.put(o.Kind, ns, o.Name, entry{x.stream(), added})
		x.objects = append(x.objects, added)
		x.noteCopies(added, added.node.At("metadata", "annotations"))
	}
	var m *Producer
	rows := x.rowsFor(o)
	for i := range rows {
		p := &rows[i]
		if max(p.level, 1) > x.level || !p.fits(o) {
			continue
		}
		p.visitNames(o, func(kind, made, namespace string) {
			if namespace == "" && !p.anywhere {
				namespace = ns
			}
			written := made
			if p.refresh != nil && x.base != nil {
				made = x.base(o, made)
			}
			if m == nil {
				again = x.knows(o, ns)
			}
			if m == nil || m.row.kind != p.kind {
				m = &Producer{Kind: o.Kind, Namespace: ns, Name: o.Name, Written: written, Offset: o.Node.Offset(), Context: x.outside, node: o.Node.In(keep()),
					group: strings.ToLower(o.Group()), row: p}
				x.producers = append(x.producers, m)
			}
			object := &Object{Kind: kind, Namespace: namespace, Name: made, Offset: m.Offset, index: x, producers: []*Producer{m}}
			source := o.Kind + "/" + o.Name
			if kind == o.Kind {
				source = x.stream() // a class of the CSI driver is its own content
			}
			again = x.put(kind, namespace, made, entry{source, object}) && kind == o.Kind || again
			if p.copiedBy != nil {
				x.noteCopies(object, m.node.At(p.copiedBy...))
			}
		})
	}
	return added, again
}

// knows reports whether something that makes an object has been added that has the kind, name and namespace of o, which
// is added now.
func (x *Index) knows(o manifest.Object, namespace string) bool {
	if x.known == nil {
		x.known = map[known]struct{}{}
	}
	n := len(x.known)
	x.known[known{id{name{o.Kind, o.Name}, namespace}, o.Group()}] = struct{}{}
	return len(x.known) == n
}

func (x *Index) stream() string {
	if x.outside {
		return Context
	}
	return Stream
}

func (x *Index) home(namespace string) string {
	if namespace == "" {
		return x.namespace
	}
	return namespace
}

// put adds an entry, and reports whether there is one from the same source. The last object counts, or else the first
// producer, to which others add.
func (x *Index) put(kind, namespace, object string, e entry) (again bool) {
	named := x.entries[kind]
	if named == nil {
		named = map[string]homes{}
		x.entries[kind] = named
	}
	all := named[object]
	old, there := all.in(namespace)
	switch {
	case !there:
		named[object] = all.with(namespace, e)
		if !e.object.node.Valid() {
			x.made = append(x.made, e.object)
		}
		return false
	case e.source == x.stream():
		if len(old.object.producers) > 0 && e.object.node.Valid() {
			e.object.producers = old.object.producers
		}
		named[object] = all.with(namespace, e)
	default:
		old.object.producers = append(old.object.producers, e.object.producers...)
	}
	return old.source == e.source
}

// Find returns what a workload of a namespace means by kind and name: its source, and the object where it is in the
// input, will be made by something there, or is in the context. An object or workload without a namespace fits any
// single one; the same namespace fits best.
func (x *Index) Find(kind, namespace, object string) (*Object, string) {
	found, source := x.find(kind, namespace, object)
	if source != Absent {
		return found, source
	}
	if copied := x.copyFor(kind, x.home(namespace), object); copied != nil {
		return copied, copied.Kind + "/" + copied.Name
	}
	if x.context != nil {
		return x.context.Find(kind, x.home(namespace), object)
	}
	return nil, Absent
}

func (x *Index) find(kind, namespace, object string) (*Object, string) {
	all := x.entries[kind][object]
	namespace = x.home(namespace)
	e, ok := all.in(namespace)
	switch {
	case ok:
	case namespace != "":
		if e, ok = all.in(""); ok && x.leftOut(e.object, namespace) {
			return nil, Absent
		}
	case len(all.others) > 0:
		return nil, Ambiguous
	default:
		e, ok = all.in(all.first)
	}
	if !ok {
		return nil, Absent
	}
	return e.object, e.source
}

// Objects returns every ConfigMap and Secret of the input, in its order, those that a later one replaces included.
func (x *Index) Objects() []*Object { return x.objects }

// All returns every ConfigMap and Secret of the input, and then those that something in it makes.
func (x *Index) All() iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		for _, list := range [][]*Object{x.objects, x.made} {
			for _, o := range list {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// Producers returns everything in the input that makes a ConfigMap or Secret, in its order.
func (x *Index) Producers() []*Producer { return x.producers }

// fields splits a dotted path.
func fields(path string) []string { return strings.Split(path, ".") }

// Namespace returns the namespace of objects that name none, "" where it is not known.
func (x *Index) Namespace() string { return x.namespace }
