package manifest

import (
	"cmp"
	"iter"
	"strings"
)

// Object is one Kubernetes object of a document: its root, or an item of a List.
type Object struct {
	Node       Node
	APIVersion string
	Kind       string
	Namespace  string // "" where the object names none
	Name       string // metadata.name, else metadata.generateName
	Home       string // where it is put that names no namespace; "" where that is not known. Only String asks
}

// Group returns the API group: "" for the core API.
func (o Object) Group() string {
	if i := strings.LastIndexByte(o.APIVersion, '/'); i >= 0 {
		return o.APIVersion[:i]
	}
	return ""
}

// String returns "Kind namespace/name", as errors and findings name an object.
func (o Object) String() string { return Describe(o.Kind, cmp.Or(o.Namespace, o.Home), o.Name) }

// Describe returns "Kind namespace/name", without the namespace where it is "".
func Describe(kind, namespace, name string) string {
	if namespace == "" {
		return kind + " " + name
	}
	return kind + " " + namespace + "/" + name
}

// Annotation returns a value of metadata.annotations, "" where there is none.
func (o Object) Annotation(key string) string {
	return o.Node.At("metadata", "annotations", key).StringValue()
}

// Labels returns metadata.labels.
func (o Object) Labels() map[string]string {
	var out map[string]string
	for k, v := range o.Node.At("metadata", "labels").Entries() {
		if out == nil {
			out = map[string]string{}
		}
		out[k.Text()] = v.StringValue()
	}
	return out
}

// Objects returns the objects of the document: those with a kind and an apiVersion, and the items of Lists, which may
// omit what their List implies ("ConfigMapList" holds items of kind ConfigMap).
func (d *Document) Objects() iter.Seq[Object] {
	return func(yield func(Object) bool) {
		if root := d.Root(); root.IsMap() {
			walkObjects(root, Object{}, 0, yield)
		}
	}
}

// maxLists bounds Lists in Lists.
const maxLists = 8

func walkObjects(n Node, list Object, depth int, yield func(Object) bool) bool {
	o := read(n)
	if o.Kind == "" {
		o.Kind = strings.TrimSuffix(list.Kind, "List")
	}
	if o.APIVersion == "" {
		o.APIVersion = list.APIVersion
	}
	if o.Kind == "" || o.APIVersion == "" {
		return true
	}
	if items := n.Get("items"); strings.HasSuffix(o.Kind, "List") && items.IsSeq() && depth < maxLists {
		for item := range items.Items() {
			if item.IsMap() && !walkObjects(item, o, depth+1, yield) {
				return false
			}
		}
		return true
	}
	return yield(o)
}

// read returns what identifies an object, in one pass over its top fields.
func read(n Node) Object {
	o := Object{Node: n}
	for f := n.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "apiVersion":
			o.APIVersion = f.Value.Text()
		case "kind":
			o.Kind = f.Value.Text()
		case "metadata":
			o.Name, o.Namespace = readMeta(f.Value)
		}
	}
	return o
}

func readMeta(n Node) (name, namespace string) {
	generated := ""
	for f := n.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "name":
			name = f.Value.StringValue()
		case "generateName":
			generated = f.Value.StringValue()
		case "namespace":
			namespace = f.Value.StringValue()
		}
	}
	if name == "" {
		name = generated
	}
	return name, namespace
}
