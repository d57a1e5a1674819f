package objects

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// The annotations of tools that make copies.
const (
	reflects         = "reflector.v1.k8s.emberstack.com/reflects"
	reflectAuto      = "reflector.v1.k8s.emberstack.com/reflection-auto-enabled"
	reflectTo        = "reflector.v1.k8s.emberstack.com/reflection-auto-namespaces"
	reflectChosen    = "reflector.v1.k8s.emberstack.com/reflection-auto-namespaces-selector"
	replicates       = "replicator.v1.mittwald.de/replicate-from"
	replicateTo      = "replicator.v1.mittwald.de/replicate-to"
	replicateMatches = "replicator.v1.mittwald.de/replicate-to-matching"
)

// Original is the object of a kind of which another one is a copy.
type Original struct{ Namespace, Name string }

// originals returns the namespaces and names of what a tool may copy into an object.
func originals(o *Object) iter.Seq2[string, string] {
	return func(yield func(namespace, name string) bool) {
		annotations := o.node.At("metadata", "annotations")
		for _, key := range []string{reflects, replicates} {
			from := annotations.Get(key).StringValue()
			if from == "" {
				continue
			}
			namespace, name, both := strings.Cut(from, "/")
			if !both {
				namespace, name = o.Namespace, from
			}
			if !yield(namespace, name) {
				return
			}
		}
	}
}

// replicated is an object that a tool copies into other namespaces, with the annotations that say so.
type replicated struct {
	object      *Object
	annotations manifest.Node
}

// reaches reports whether one of the lists of namespaces, names or regular expressions, has one, or a label selector
// chooses it. Reflector takes an empty list without a selector for all. What labels a namespace has that is neither in
// the input nor the context nobody knows.
func (r replicated) reaches(namespace string, namespaces map[string]manifest.Node) bool {
	value := func(key string) string { return r.annotations.Get(key).StringValue() }
	lists, selectors := []string{value(replicateTo)}, []string{value(replicateMatches)}
	if value(reflectAuto) == "true" {
		to, chosen := value(reflectTo), value(reflectChosen)
		if to == "" && chosen == "" {
			return true
		}
		lists, selectors = append(lists, to), append(selectors, chosen)
	}
	at, known := namespaces[namespace]
	for _, selector := range selectors {
		if selector != "" && (!known || selectsText(selector, labelsOf(namespace, at.At("metadata", "labels")))) {
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

// clonedInto returns the object that all producers of another clone into it, or nil.
func (x *Index) clonedInto(o *Object) *Object {
	from, ok := o.clonedFrom()
	if !ok {
		return nil
	}
	for _, index := range []*Index{x, x.context} {
		if index == nil {
			continue
		}
		if source, _ := index.find(o.Kind, from.namespace, from.name); source != nil && source != o {
			return source
		}
	}
	return nil
}

// OriginalOf returns what a tool copies into an object; zero where no tool does, or from where is not known.
func (o *Object) OriginalOf() Original {
	if o.isCopy {
		for namespace, name := range originals(o) {
			return Original{namespace, name}
		}
	}
	from, _ := o.clonedFrom()
	return Original{from.namespace, from.name}
}

// clonedFrom returns what all producers of an object clone into it, and whether there is one such object.
func (o *Object) clonedFrom() (from id, ok bool) {
	if !o.IsProduced() {
		return id{}, false
	}
	for i, p := range o.producers {
		if p.row.original == nil {
			return id{}, false
		}
		of, clones := p.row.original(p.node, target{o.Kind, o.Name})
		if !clones || i > 0 && of != from {
			return id{}, false
		}
		from = of
	}
	return from, from != (id{})
}

// listed returns the object of a list whose clone of that name lies in a namespace, or nil.
func (x *Index) listed(l *generated, kind, namespace, name string) *Object {
	if !slices.Contains(l.listed, kind) || namespace == "" || namespace == l.from.namespace ||
		l.namespace != "" && l.namespace != namespace {
		return nil
	}
	if at, known := x.namespaces[namespace]; l.namespace == "" && known &&
		!l.matches(namespace, labelsOf(namespace, at.At("metadata", "labels"))) {
		return nil
	}
	for _, index := range []*Index{x, x.context} {
		if index == nil {
			continue
		}
		o, _ := index.find(kind, l.from.namespace, name)
		if o != nil && l.selects(o) {
			return o
		}
	}
	return nil
}

// selects reports whether the selector of a list fits an object.
func (g *generated) selects(o *Object) bool {
	return !g.selector.IsMap() || selects(g.selector, labelsOf("", o.ownNode().At("metadata", "labels")))
}

// listClones returns what the policies of an index clone by lists into other namespaces, of the input's own objects.
func (x *Index) listClones() (out []Provided) {
	for i := range x.cloneLists {
		l := &x.cloneLists[i]
		for o := range x.All() {
			if o.Namespace == l.from.namespace && slices.Contains(l.listed, o.Kind) && l.selects(o) {
				out = append(out, Provided{Kind: o.Kind, Namespace: l.namespace, Name: o.Name, Anywhere: l.namespace == "",
					Of: Original{o.Namespace, o.Name}})
			}
		}
	}
	return out
}
