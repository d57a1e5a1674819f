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
	entries   map[id]entry
	spaces    map[name]spaces
	objects   []*Object
	current   *Object // whose content is decoded
	content   Content
}

type name struct{ kind, name string }

// id is a name in a namespace; "" fits any.
type id struct {
	name
	namespace string
}

// entry is the way to get an object: a plain one in the input, else the first producer.
type entry struct {
	source string
	object *Object // nil for a producer
}

// spaces are the namespaces that hold a name: the first, and whether there are others.
type spaces struct {
	first  string
	others bool
}

// NewIndex makes an index for an input whose objects lie in namespace where they name none; "" where that is not known.
func NewIndex(namespace string) *Index {
	return &Index{namespace: namespace, entries: map[id]entry{}, spaces: map[name]spaces{}}
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
		again = x.put(id{name{o.Kind, o.Name}, ns}, entry{Stream, added})
		x.objects = append(x.objects, added)
	case o.Kind == "SecretProviderClass":
		again = x.put(id{name{o.Kind, o.Name}, ns}, entry{Stream, nil})
	}
	for _, p := range producers[o.Kind] {
		if p.makes(o) {
			p.names(o, func(kind, made, namespace string) {
				if namespace == "" && !p.anywhere {
					namespace = ns
				}
				x.put(id{name{kind, made}, namespace}, entry{o.Kind + "/" + o.Name, nil})
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

// put adds an entry, and tells whether there is one from the same source. The last object counts, or else the first producer.
func (x *Index) put(i id, e entry) (again bool) {
	old, there := x.entries[i]
	if !there {
		sp, known := x.spaces[i.name]
		if !known {
			sp.first = i.namespace
		}
		sp.others = known
		x.spaces[i.name] = sp
	}
	if !there || e.source == Stream {
		x.entries[i] = e
	}
	return there && old.source == e.source
}

// Find gives what a workload of a namespace means by kind and name: its source, and the object where it is in the input.
// An object or workload without a namespace fits any single one; the same namespace fits best.
func (x *Index) Find(kind, namespace, object string) (*Object, string) {
	n := name{kind, object}
	namespace = x.home(namespace)
	e, ok := x.entries[id{n, namespace}]
	switch {
	case ok:
	case namespace != "":
		e, ok = x.entries[id{n, ""}]
	case x.spaces[n].others:
		return nil, Ambiguous
	default:
		e, ok = x.entries[id{n, x.spaces[n].first}]
	}
	if !ok {
		return nil, Absent
	}
	return e.object, e.source
}

// Objects gives every ConfigMap and Secret of the input, in its order, those that a later one replaces included.
func (x *Index) Objects() []*Object { return x.objects }

// fields splits a dotted path.
func fields(path string) []string { return strings.Split(path, ".") }

// Namespace gives the namespace of objects that name none, "" where it is not known.
func (x *Index) Namespace() string { return x.namespace }
