package objects

import (
	"slices"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
)

// Find returns what a workload of a namespace means by kind and name: its source, and the object where it is in the
// input, is produced by something there, or is in the context. An object or workload without a namespace fits any
// single one; the same namespace fits best.
func (x *Index) Find(kind, namespace, name string) (*Object, string) {
	found, source := x.find(kind, namespace, name)
	if source != Absent {
		return found, source
	}
	if original := x.copyFor(kind, x.namespaceOf(namespace), name); original != nil {
		return original, original.Kind + "/" + original.Name
	}
	if x.context != nil {
		return x.context.Find(kind, x.namespaceOf(namespace), name)
	}
	return nil, Absent
}

func (x *Index) find(kind, namespace, name string) (*Object, string) {
	all := x.entries[kind][name]
	namespace = x.namespaceOf(namespace)
	e, ok := all.in(namespace)
	switch {
	case ok:
	case namespace != "":
		if e, ok = all.in(""); ok && x.isExcluded(e.object, namespace) {
			return nil, Absent
		}
	case len(all.others) > 0:
		return nil, Ambiguous
	default:
		e, ok = all.in(all.first)
	}
	if !ok || !x.isReached(e.object, namespace) {
		return nil, Absent
	}
	return e.object, x.sourceIn(e, namespace)
}

// sourceIn returns the source of an entry for a namespace, where not all of several producers may produce it.
func (x *Index) sourceIn(e entry, namespace string) string {
	if len(e.object.producers) < 2 || !e.object.IsProduced() {
		return e.source
	}
	all := e.object.producers
	if in := x.ProducersIn(e.object, namespace); len(in) > 0 && in[0] != all[0] {
		return in[0].Kind + "/" + in[0].Name
	}
	return e.source
}

// ProducersIn returns what produces an object, or adds to it, in a namespace: where its Namespace is known, those that
// choose it.
func (x *Index) ProducersIn(o *Object, namespace string) []*Producer {
	all := o.Producers()
	at, known := x.namespaces[namespace]
	if len(all) < 2 || !known || o.Namespace != "" || !o.IsProduced() {
		return all
	}
	of, labels := target{o.Kind, o.Name}, labelsOf(namespace, at.At("metadata", "labels"))
	return slices.DeleteFunc(slices.Clone(all), func(p *Producer) bool {
		return p.row.chooses != nil && !p.row.chooses(p.node, of, namespace, labels)
	})
}

// isReached reports whether what produces an object does so in a namespace, where that depends on a store.
func (x *Index) isReached(o *Object, namespace string) bool {
	return !o.IsProduced() || slices.ContainsFunc(o.producers, func(p *Producer) bool {
		return p.row.reaches == nil || p.row.reaches(p, namespace, x.lookup)
	})
}

// isExcluded reports whether nothing is produced in a namespace, because its Namespace is known and none of the
// producers chooses it.
func (x *Index) isExcluded(o *Object, namespace string) bool {
	at, known := x.namespaces[namespace]
	if !known || !o.IsProduced() {
		return false
	}
	labels := at.At("metadata", "labels")
	return !slices.ContainsFunc(o.producers, func(p *Producer) bool {
		return p.row.chooses == nil || p.row.chooses(p.node, target{o.Kind, o.Name}, namespace, labelsOf(namespace, labels))
	})
}

// copyFor returns the object whose copy of that name a tool makes in a namespace, or nil.
func (x *Index) copyFor(kind, namespace, name string) *Object {
	for _, r := range x.replicated {
		o := r.object
		if o.Kind != kind || o.Name != name || namespace == "" || o.Namespace == namespace ||
			!r.reaches(namespace, x.namespaces) {
			continue
		}
		if o.IsProduced() {
			e, _ := x.entries[kind][name].in(o.Namespace) // others may add to it
			return e.object
		}
		return o
	}
	lists := x.cloneLists
	if x.context != nil { // a policy of the context copies what the input has, too
		lists = append(lists[:len(lists):len(lists)], x.context.cloneLists...)
	}
	for i := range lists {
		if o := x.listed(&lists[i], kind, namespace, name); o != nil {
			return o
		}
	}
	return nil
}

// Exact returns the object of that kind, namespace and name, or nil.
func (x *Index) Exact(kind, namespace, name string) *Object {
	e, _ := x.entries[kind][name].in(x.namespaceOf(namespace))
	return e.object
}

// NamespaceLabels returns the labels of a Namespace, and whether it is known.
func (x *Index) NamespaceLabels(name string) (labels map[string]string, known bool) {
	at, known := x.namespaces[name]
	if !known {
		return nil, false
	}
	return manifest.Object{Node: at}.Labels(), true
}

// NamespaceAnnotation returns an annotation of a Namespace, "" where it is not known.
func (x *Index) NamespaceAnnotation(namespace, key string) string {
	return manifest.Object{Node: x.namespaces[namespace]}.Annotation(key)
}

// CopyOf returns the object that a tool copies into this one, or nil.
func (x *Index) CopyOf(o *Object) *Object {
	if !o.isCopy {
		return x.clonedInto(o)
	}
	if o.inContext && x.context != nil {
		x = x.context
	}
	for namespace, name := range originals(o) {
		if source, _ := x.Find(o.Kind, namespace, name); source != o {
			return source
		}
	}
	return nil
}

// MissingOriginal returns what a tool copies into an object, or into what is copied into that, and what is neither in
// the input nor in the context; zero where there is none.
func (x *Index) MissingOriginal(o *Object) Original {
	const most = 8 // copies of copies
	for range most {
		from := x.CopyOf(o)
		if from == nil {
			return o.OriginalOf()
		}
		o = from
	}
	return Original{}
}

// ReadsStores reports whether an object's content can come from a store: something produces it, or a tool copies into
// it what may be produced, or its values are placeholders that are asked for.
func (x *Index) ReadsStores(o *Object) bool {
	return len(o.producers) > 0 || o.isCopy || x.asksForPlaceholders(o)
}

// asksForPlaceholders reports whether versions may be asked for of what placeholders in an object name.
func (x *Index) asksForPlaceholders(o *Object) bool {
	return x.opts.asksFor(sources.Placeholders) && asksForPlaceholders(o.Kind, o.node)
}

// lookup returns a store or generator for something in a namespace; a node that is not Valid where there is none.
func (x *Index) lookup(kind, namespace, name string) manifest.Node {
	if at, ok := x.lookups.find(kind, namespace, name); ok {
		return at
	}
	if x.context == nil {
		return manifest.Node{}
	}
	return x.context.lookup(kind, namespace, name)
}
