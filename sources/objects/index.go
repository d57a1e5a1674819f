// Package objects indexes the ConfigMaps and Secrets of an input, resolves their content, and knows what produces
// others in the cluster.
package objects

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// Where a reference's object was found, when it is no producer "Kind/name".
const (
	Stream    = "stream"    // in the input
	Context   = "context"   // in manifests that are only looked up
	Absent    = "absent"    // nowhere in the input
	Ambiguous = "ambiguous" // in several namespaces of the input, and nothing says which
)

// Index knows every object of an input that is, or will produce, a ConfigMap or Secret. Once all have been added,
// nothing changes it.
type Index struct {
	opts       Options
	rules      []row                        // of the configuration
	context    *Index                       // where to look for what is not in the input; nil for none
	isContext  bool                         // of another
	entries    map[string]map[string]places // by kind and name
	lookups    lookups                      // stores and generators
	namespaces map[string]manifest.Node     // the Namespaces that are known, by name; the context has the same
	objects    []*Object
	produced   []*Object // some may be in the input, too
	producers  []*Producer
	known      map[producerID]struct{}
	unnamed    []Unnamed
	replicated []replicated
	cloneLists []generated

	cloneSources []cloneSource
	renamed      map[id]string // the names of objects as they are written, where that is another one; nil for none
}

// producerID is what distinguishes producers.
type producerID struct {
	id
	group string
}

// entry is the way to get an object: one in the input, else one that is produced.
type entry struct {
	source string
	object *Object
}

// places are the entries of one kind and name, by namespace. Nearly always there is one.
type places struct {
	first  string // the namespace of the first
	entry  entry  // there
	others map[string]entry
}

// in returns the entry in a namespace.
func (p places) in(namespace string) (e entry, ok bool) {
	if p.first == namespace && p.entry.object != nil {
		return p.entry, true
	}
	e, ok = p.others[namespace]
	return e, ok
}

// with returns the same with another entry in a namespace.
func (p places) with(namespace string, e entry) places {
	switch {
	case p.entry.object == nil || p.first == namespace:
		p.first, p.entry = namespace, e
	case p.others == nil:
		p.others = map[string]entry{namespace: e}
	default:
		p.others[namespace] = e
	}
	return p
}

// NewIndex returns an empty index for an input.
func NewIndex(opts Options) *Index {
	return &Index{opts: opts, rules: rowsOf(opts.Rules), entries: map[string]map[string]places{},
		namespaces: map[string]manifest.Node{}}
}

// NewContext returns an empty index for manifests that are only looked up, for what x does not have. There is one at
// most.
func (x *Index) NewContext() *Index {
	x.context = NewIndex(x.opts)
	x.context.opts.Namespace = ""
	x.context.namespaces, x.context.isContext = x.namespaces, true
	return x.context
}

// NewSecond returns an empty index for another render of the same input, which is read alike and sees the same context.
func (x *Index) NewSecond() *Index {
	second := NewIndex(x.opts)
	second.context, second.namespaces = x.context, maps.Clone(x.namespaces)
	return second
}

// WithoutContext returns the index with no context yet.
func (x *Index) WithoutContext() *Index {
	out := *x
	out.context, out.namespaces = nil, maps.Clone(x.namespaces)
	return &out
}

// Context returns the index of manifests that are only looked up, or nil.
func (x *Index) Context() *Index { return x.context }

// Concerns reports whether Add may do anything with an object.
func (x *Index) Concerns(o manifest.Object) bool {
	kind := o.Kind
	return kind == configMap || kind == secret || kind == kubeNamespace || table().refersTo[kind] != "" ||
		len(x.rules) > 0 && slices.ContainsFunc(x.rules, func(r row) bool { return string(r.rule.Kind) == kind }) ||
		builtInRows(o) != nil
}

// source returns where the objects of the index are found.
func (x *Index) source() string {
	if x.isContext {
		return Context
	}
	return Stream
}

// namespaceOf returns a namespace as it is written, or else that of objects that name none.
func (x *Index) namespaceOf(written string) string {
	if written == "" {
		return x.opts.Namespace
	}
	return written
}

// put adds an entry, and reports whether there is one from the same source. The last object counts, or else the first
// producer, to which others add.
func (x *Index) put(e entry) (again bool) {
	o := e.object
	named := x.entries[o.Kind]
	if named == nil {
		named = map[string]places{}
		x.entries[o.Kind] = named
	}
	all := named[o.Name]
	old, exists := all.in(o.Namespace)
	switch {
	case !exists:
		named[o.Name] = all.with(o.Namespace, e)
		if o.IsProduced() {
			x.produced = append(x.produced, o)
		}
		return false
	case e.source == x.source():
		if len(old.object.producers) > 0 && !o.IsProduced() {
			o.producers = old.object.producers
		}
		named[o.Name] = all.with(o.Namespace, e)
	case old.object.addProducers(o.producers):
		named[o.Name] = all.with(o.Namespace, entry{e.source, old.object})
	}
	return old.source == e.source
}

// Objects returns every ConfigMap and Secret of the input, in its order, those that a later one replaces included.
func (x *Index) Objects() []*Object { return x.objects }

// All returns every ConfigMap and Secret of the input, and then those that something in it produces.
func (x *Index) All() iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		for _, list := range [][]*Object{x.objects, x.produced} {
			for _, o := range list {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// Written returns the name of an object as the text has it, whose own name it is.
func (x *Index) Written(o *Object) string {
	return cmp.Or(x.renamed[id{o.Kind, o.Name, o.Namespace}], o.Name)
}

// HasRenamed reports whether the name of an object is written in another way than it is indexed.
func (x *Index) HasRenamed() bool { return len(x.renamed) > 0 }

// Provided is a ConfigMap or Secret that an input brings into its cluster.
type Provided struct {
	Kind, Namespace, Name string // Namespace is "" where it is not known; Name is "" for all of a namespace, which is Of
	Selected              bool   // only those of a namespace that a selector fits
	Anywhere              bool   // it comes into any namespace that its producer, or a tool that copies it, chooses
	Lists                 string // of namespaces, a line each: what is Anywhere comes only into those that all have
	Producer              string // what produces it, as messages name objects; "" for one in the input
	Keys                  KeyNames
	Of                    Original // what a tool copies into it; zero for none
}

// String returns the object as messages name it.
func (p Provided) String() string { return manifest.Describe(p.Kind, p.Namespace, p.Name) }

// ComesInto reports whether it is in a namespace, where both are known.
func (p Provided) ComesInto(namespace string) bool {
	if namespace == "" || !p.Anywhere {
		return namespace != "" && p.Namespace == namespace
	}
	for list := range strings.Lines(p.Lists) {
		if !hasNamespace(list, namespace) {
			return false
		}
	}
	return true
}

// WithoutKeys returns which object it is, whatever its keys.
func (p Provided) WithoutKeys() Provided {
	p.Keys, p.Of = "", Original{}
	return p
}

// usualKeyNames is how many bytes the names of an object's keys have.
const usualKeyNames = 32

// ProvidedObjects returns the ConfigMaps and Secrets of the input, and those that something in it produces or copies.
func (x *Index) ProvidedObjects() []Provided {
	out := make([]Provided, 0, len(x.objects)+len(x.produced)+len(x.replicated))
	var names strings.Builder
	names.Grow(len(x.objects) * usualKeyNames)
	for o := range x.All() {
		p := Provided{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Of: o.OriginalOf()}
		if o.IsProduced() {
			p.Anywhere, p.Producer = o.Namespace == "" && o.producers[0].row.anywhere, o.producers[0].String()
		} else {
			p.Keys = o.keyNames(&names)
		}
		out = append(out, p)
	}
	for _, r := range x.replicated {
		out = append(out, Provided{Kind: r.object.Kind, Name: r.object.Name, Anywhere: true, Lists: r.lists(),
			Of: Original{r.object.Namespace, r.object.Name}})
	}
	return append(append(out, x.listClones()...), x.clonedNamespaces()...)
}

// Producers returns everything in the input that produces a ConfigMap or Secret, in its order.
func (x *Index) Producers() []*Producer { return x.producers }

// UnnamedObjects returns the objects of the input that a rule of the configuration fits and whose name leads to
// nothing.
func (x *Index) UnnamedObjects() []Unnamed { return x.unnamed }

// Namespace returns the namespace of objects that name none, "" where it is not known.
func (x *Index) Namespace() string { return x.opts.Namespace }
