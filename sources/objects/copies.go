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
	reflects           = "reflector.v1.k8s.emberstack.com/reflects"
	reflectAllowed     = "reflector.v1.k8s.emberstack.com/reflection-allowed"
	reflectWhere       = "reflector.v1.k8s.emberstack.com/reflection-allowed-namespaces"
	reflectWhereChosen = "reflector.v1.k8s.emberstack.com/reflection-allowed-namespaces-selector"
	reflectAuto        = "reflector.v1.k8s.emberstack.com/reflection-auto-enabled"
	reflectTo          = "reflector.v1.k8s.emberstack.com/reflection-auto-namespaces"
	reflectChosen      = "reflector.v1.k8s.emberstack.com/reflection-auto-namespaces-selector"
	replicates         = "replicator.v1.mittwald.de/replicate-from"
	replicateTo        = "replicator.v1.mittwald.de/replicate-to"
	replicateMatches   = "replicator.v1.mittwald.de/replicate-to-matching"
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

// reaches reports whether a tool copies the object into a namespace. Reflector does where both what it is told to fill
// and what the object allows have the namespace, of which each means all where nothing is said. That it is allowed
// at all may be said in the cluster, so only a written no counts.
func (r replicated) reaches(namespace string, namespaces map[string]manifest.Node) bool {
	value := func(key string) string { return r.annotations.Get(key).StringValue() }
	at, known := namespaces[namespace]
	chooses := func(list, selector string) bool {
		return hasNamespace(value(list), namespace) || value(selector) != "" &&
			(!known || selectsText(value(selector), labelsOf(namespace, at.At("metadata", "labels"))))
	}
	if chooses(replicateTo, replicateMatches) {
		return true
	}
	allows := func(list, selector string) bool {
		return value(list) == "" && value(selector) == "" || chooses(list, selector)
	}
	allowed := r.annotations.Get(reflectAllowed)
	return value(reflectAuto) == "true" && (!allowed.Valid() || allowed.StringValue() == "true") &&
		allows(reflectWhere, reflectWhereChosen) && allows(reflectTo, reflectChosen)
}

// lists returns the lists that all must have a namespace for it to be reached, a line each. What selectors choose, or
// one tool besides another, is in none.
func (r replicated) lists() string {
	value := func(key string) string { return r.annotations.Get(key).StringValue() }
	replicator, reflector := value(replicateTo) != "" || value(replicateMatches) != "", value(reflectAuto) == "true"
	if replicator && reflector {
		return ""
	}
	var lists []string
	for _, l := range []struct{ list, selector string }{
		{replicateTo, replicateMatches}, {reflectTo, reflectChosen}, {reflectWhere, reflectWhereChosen},
	} {
		if (l.list == replicateTo) == replicator && value(l.list) != "" && value(l.selector) == "" {
			lists = append(lists, strings.ReplaceAll(value(l.list), "\n", " "))
		}
	}
	return strings.Join(lists, "\n")
}

// hasNamespace reports whether a list of names or regular expressions between commas has a namespace.
func hasNamespace(list, namespace string) bool {
	for pattern := range strings.SplitSeq(list, ",") {
		pattern = strings.TrimSpace(pattern)
		if re, err := regexp.Compile("^(?:" + pattern + ")$"); pattern != "" && err == nil && re.MatchString(namespace) {
			return true
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

// clonedNamespaces returns what the policies of an index clone by lists of what others have in a namespace.
func (x *Index) clonedNamespaces() (out []Provided) {
	for i := range x.cloneLists {
		l := &x.cloneLists[i]
		if l.from.namespace == "" {
			continue
		}
		for _, kind := range l.listed {
			out = append(out, Provided{Kind: kind, Namespace: l.namespace, Anywhere: l.namespace == "",
				Selected: l.selector.IsMap(), Of: Original{Namespace: l.from.namespace}})
		}
	}
	return out
}
