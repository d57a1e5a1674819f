// Package sources finds what stands behind a reference: the object in the input, its content, or what will produce it in the cluster.
package sources

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// Where a reference's object was found, when it is no producer "Kind/name".
const (
	Stream    = "stream"    // in the input
	Absent    = "absent"    // nowhere in the input
	Ambiguous = "ambiguous" // in several namespaces of the input, and nothing says which
)

// Index knows every object of an input that is, or will make, a ConfigMap or Secret.
type Index struct {
	namespace string // of objects that name none; "" where it is not known
	entries   map[id][]entry
	objects   []*Object
	current   *Object // whose content is decoded
	content   Content
}

type id struct{ kind, name string }

// entry is one way to get an object: as a plain one in the input, or from a producer.
type entry struct {
	namespace string // "" fits any
	source    string
	object    *Object // nil for a producer
}

// NewIndex makes an index for an input whose objects lie in namespace where they name none; "" where that is not known.
func NewIndex(namespace string) *Index {
	return &Index{namespace: namespace, entries: map[id][]entry{}}
}

// Concerns tells whether Add would do anything with an object of that kind.
func Concerns(kind string) bool {
	_, known := producers[kind]
	return known || kind == "ConfigMap" || kind == "Secret" || kind == "SecretProviderClass"
}

// Add takes an object into the index. It gives the Object where it is a ConfigMap or Secret itself, and whether one of the
// same name and namespace was there before: the last one counts.
func (x *Index) Add(o manifest.Object) (added *Object, again bool) {
	if o.Name == "" {
		return nil, false
	}
	ns := x.home(o.Namespace)
	switch {
	case (o.Kind == "ConfigMap" || o.Kind == "Secret") && o.APIVersion == "v1":
		added = &Object{Kind: o.Kind, Namespace: ns, Name: o.Name, Offset: o.Node.Offset(), node: o.Node, index: x}
		again = x.put(id{o.Kind, o.Name}, entry{ns, Stream, added})
		x.objects = append(x.objects, added)
	case o.Kind == "SecretProviderClass":
		again = x.put(id{o.Kind, o.Name}, entry{ns, Stream, nil})
	}
	for _, p := range producers[o.Kind] {
		if p.makes(o) {
			p.names(o, func(kind, name, namespace string) {
				if namespace == "" && !p.anywhere {
					namespace = ns
				}
				x.put(id{kind, name}, entry{namespace, o.Kind + "/" + o.Name, nil})
			})
		}
	}
	return added, again
}

func (x *Index) home(namespace string) string {
	if namespace == "" {
		return x.namespace
	}
	return namespace
}

// put adds an entry; of two from the same source and namespace the last counts.
func (x *Index) put(i id, e entry) (again bool) {
	for k, old := range x.entries[i] {
		if old.namespace == e.namespace && old.source == e.source {
			x.entries[i][k] = e
			return true
		}
	}
	x.entries[i] = append(x.entries[i], e)
	return false
}

// Find gives what a workload of a namespace means by kind and name: its source, and the object where it is in the input.
// An object or workload without a namespace fits any single one; the same namespace fits best.
func (x *Index) Find(kind, namespace, name string) (*Object, string) {
	namespace = x.home(namespace)
	var best *entry
	namespaces := map[string]bool{}
	for k := range x.entries[id{kind, name}] {
		e := &x.entries[id{kind, name}][k]
		exact := e.namespace == namespace
		if !exact && namespace != "" && e.namespace != "" {
			continue
		}
		namespaces[e.namespace] = true
		if best == nil || exact && best.namespace != namespace || best.namespace == e.namespace && e.object != nil {
			best = e
		}
	}
	switch {
	case best == nil:
		return nil, Absent
	case best.namespace != namespace && len(namespaces) > 1:
		return nil, Ambiguous
	}
	return best.object, best.source
}

// Objects gives every ConfigMap and Secret of the input, in its order, those that a later one replaces included.
func (x *Index) Objects() []*Object { return x.objects }

// fields splits a dotted path.
func fields(path string) []string { return strings.Split(path, ".") }

// Namespace gives the namespace of objects that name none, "" where it is not known.
func (x *Index) Namespace() string { return x.namespace }
