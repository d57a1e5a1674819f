package objects

import (
	"regexp"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// The annotations of tools that keep copies.
const (
	reflects         = "reflector.v1.k8s.emberstack.com/reflects"
	reflectAuto      = "reflector.v1.k8s.emberstack.com/reflection-auto-enabled"
	reflectTo        = "reflector.v1.k8s.emberstack.com/reflection-auto-namespaces"
	reflectChosen    = "reflector.v1.k8s.emberstack.com/reflection-auto-namespaces-selector"
	replicates       = "replicator.v1.mittwald.de/replicate-from"
	replicateTo      = "replicator.v1.mittwald.de/replicate-to"
	replicateMatches = "replicator.v1.mittwald.de/replicate-to-matching"
)

// CopyOf returns the object that a tool copies into this one, or nil.
func (o *Object) CopyOf() *Object {
	if !o.copies {
		return nil
	}
	annotations := o.node.At("metadata", "annotations")
	for _, key := range []string{reflects, replicates} {
		if from := annotations.Get(key).StringValue(); from != "" {
			namespace, object, both := strings.Cut(from, "/")
			if !both {
				namespace, object = o.Namespace, from
			}
			if source, _ := o.index.Find(o.Kind, namespace, object); source != o {
				return source
			}
		}
	}
	return nil
}

// spread is an object that a tool copies into other namespaces, with the annotations that say so.
type spread struct {
	object *Object
	notes  manifest.Node
}

// noteCopies remembers an object that a tool copies into other namespaces, or others into, by the annotations that it
// has or will have.
func (x *Index) noteCopies(o *Object, notes manifest.Node) {
	if !notes.Valid() {
		return
	}
	if o.node.Valid() {
		o.copies = notes.Get(reflects).StringValue() != "" || notes.Get(replicates).StringValue() != ""
	}
	if notes.Get(reflectAuto).StringValue() == "true" || notes.Get(replicateTo).StringValue() != "" || notes.Get(replicateMatches).StringValue() != "" {
		x.copies = append(x.copies, spread{o, notes})
	}
}

// copyFor returns the object whose copy of that name a tool makes in a namespace, or nil.
func (x *Index) copyFor(kind, namespace, object string) *Object {
	for _, s := range x.copies {
		o := s.object
		if o.Kind == kind && o.Name == object && namespace != "" && o.Namespace != namespace && x.reaches(s, namespace) {
			if !o.node.Valid() {
				o = x.stored(kind, o.Namespace, object) // others may add to it
			}
			return o
		}
	}
	return nil
}

// reaches reports whether one of the lists of namespaces, names or regular expressions, has one, or a label selector
// chooses it. Reflector takes an empty list without a selector for all. What labels a namespace has that is neither in
// the input nor the context nobody knows.
func (x *Index) reaches(s spread, namespace string) bool {
	lists, selectors := []string{s.notes.Get(replicateTo).StringValue()}, []string{s.notes.Get(replicateMatches).StringValue()}
	if s.notes.Get(reflectAuto).StringValue() == "true" {
		to, chosen := s.notes.Get(reflectTo).StringValue(), s.notes.Get(reflectChosen).StringValue()
		if to == "" && chosen == "" {
			return true
		}
		lists, selectors = append(lists, to), append(selectors, chosen)
	}
	at, known := x.shared.namespaces[namespace]
	for _, selector := range selectors {
		if selector != "" && (!known || fits(selector, labelOf(namespace, at.At("metadata", "labels")))) {
			return true
		}
	}
	for _, list := range lists {
		for pattern := range strings.SplitSeq(list, ",") {
			pattern = strings.TrimSpace(pattern)
			if re, err := regexp.Compile("^(?:" + pattern + ")$"); pattern != "" && err == nil && re.MatchString(namespace) {
				return true
			}
		}
	}
	return false
}
