package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// id is a name in a namespace; "" fits any.
type id struct {
	kind, name string
	namespace  string
}

// lookups are objects that producers refer to: stores and generators.
type lookups map[id]manifest.Node

// isReferredTo reports whether an object is one of a kind that producers refer to.
func isReferredTo(o manifest.Object) bool {
	group := table().refersTo[o.Kind]
	return group != "" && strings.HasSuffix("."+o.Group(), "."+group)
}

// add adds an object in a namespace.
func (l lookups) add(o manifest.Object, namespace string, at manifest.Node) {
	if strings.HasPrefix(o.Kind, "Cluster") {
		namespace = ""
	}
	l[id{o.Kind, o.Name, namespace}] = at
}

// find returns the object for something in a namespace. Where that is not known, the only one of that name is meant.
func (l lookups) find(kind, namespace, name string) (at manifest.Node, ok bool) {
	for _, in := range []string{namespace, ""} {
		if at, ok := l[id{kind, name, in}]; ok {
			return at, true
		}
	}
	if namespace != "" {
		return manifest.Node{}, false
	}
	found := 0
	for of, node := range l {
		if of.kind == kind && of.name == name {
			at, found = node, found+1
		}
	}
	return at, found == 1
}
