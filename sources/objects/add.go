package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
)

// Add takes an object into the index. It returns the Object where it is a ConfigMap or Secret itself, and whether one
// of the same kind, name and namespace was there before: of ConfigMaps and Secrets the last one counts. keep returns a
// copy of the object's document that stays valid.
func (x *Index) Add(o manifest.Object, keep func() *manifest.Document) (added *Object, again bool) {
	return x.AddWith(o, keep, About{})
}

// About is what is known of an object beside its text.
type About struct {
	Embedded *redact.Embedded // values of Secrets that its document has in it; nil for none
	Left     string           // why a change of its manifest changes nothing in the cluster; "" where it does
}

// AddWith is Add for an object of which more is known.
func (x *Index) AddWith(
	o manifest.Object, keep func() *manifest.Document, about About,
) (added *Object, again bool) {
	if o.Name == "" {
		return nil, false
	}
	namespace, written := x.namespaceOf(o.Namespace), o.Name
	if x.opts.BaseName != nil && IsRenamed(o) {
		o.Name = x.opts.BaseName(o, written)
	}
	x.addLookup(o, namespace, keep)
	if (o.Kind == configMap || o.Kind == secret) && o.APIVersion == "v1" {
		added, again = x.addObject(o, namespace, keep)
		added.embedded, added.left = about.Embedded, about.Left
	}
	if rows := x.rowsFor(o); len(rows) > 0 {
		again = x.addProduced(adder{x: x, o: o, namespace: namespace, keep: keep, about: about}, rows) || again
	}
	if o.Name != written {
		x.addRenamed(o, namespace, written)
	}
	return added, again
}

// IsRenamed reports whether an object is of a kind whose own name is that of a ConfigMap or Secret.
func IsRenamed(o manifest.Object) bool {
	return (o.Kind == configMap || o.Kind == secret) && o.APIVersion == "v1" || o.Kind == SealedSecret
}

// addRenamed records the name of an object as it is written, where it is indexed under another one.
func (x *Index) addRenamed(o manifest.Object, namespace, written string) {
	if x.renamed == nil {
		x.renamed = map[id]string{}
	}
	kind := o.Kind
	if kind == SealedSecret {
		kind = secret
	}
	x.renamed[id{kind, strings.Clone(o.Name), namespace}] = strings.Clone(written)
}

// addLookup records an object that others refer to, or a Namespace.
func (x *Index) addLookup(o manifest.Object, namespace string, keep func() *manifest.Document) {
	if isReferredTo(o) {
		if x.lookups == nil {
			x.lookups = lookups{}
		}
		x.lookups.add(o, namespace, o.Node.In(keep()))
	}
	if o.Kind == kubeNamespace && o.APIVersion == "v1" {
		x.namespaces[o.Name] = o.Node.In(keep())
	}
}

// addObject adds a ConfigMap or Secret.
func (x *Index) addObject(o manifest.Object, namespace string, keep func() *manifest.Document) (*Object, bool) {
	added := &Object{Kind: o.Kind, Namespace: namespace, Name: o.Name, Offset: o.Node.Offset(), node: o.Node.In(keep()),
		number: int32(len(x.objects)), inContext: x.isContext}
	again := x.put(entry{x.source(), added})
	x.objects = append(x.objects, added)
	x.addCopies(added, added.node.At("metadata", "annotations"))
	return added, again
}

// addCopies records an object that a tool copies into other namespaces, or others into, by the annotations that it has
// or will have.
func (x *Index) addCopies(o *Object, annotations manifest.Node) {
	if !annotations.Valid() {
		return
	}
	if !o.IsProduced() {
		o.isCopy = annotations.Get(reflects).StringValue() != "" || annotations.Get(replicates).StringValue() != ""
	}
	if annotations.Get(reflectAuto).StringValue() == "true" || annotations.Get(replicateTo).StringValue() != "" ||
		annotations.Get(replicateMatches).StringValue() != "" {
		x.replicated = append(x.replicated, replicated{o, annotations})
	}
}

// rowsFor returns the rows for a kind: those of the configuration before the built-in ones, which they replace for
// their group.
func (x *Index) rowsFor(o manifest.Object) []row {
	if len(x.rules) > 0 {
		var out []row
		for i := range x.rules {
			if r := &x.rules[i]; r.rule.Group == o.Group() && string(r.rule.Kind) == o.Kind {
				out = append(out, *r)
			}
		}
		if out != nil {
			return out
		}
	}
	return builtInRows(o)
}

// addProduced adds what an object produces, and reports whether one of its kind, namespace and name was there.
func (x *Index) addProduced(a adder, rows []row) bool {
	o := a.o
	for i := range rows {
		if r := &rows[i]; max(r.level, 1) <= x.opts.Level && r.fits(o) && (r.has == nil || r.has(o)) {
			named := r.visitNames(o, func(kind, name, namespace string) { a.add(r, kind, name, namespace) })
			if !named && r.rule != nil && (r.rule.Name.HasMarks() || !r.rule.Name.IsPath()) {
				x.unnamed = append(x.unnamed, Unnamed{r.ruleAt, r.rule.Name, o.String(), o.Node.Offset()})
			}
			if r.lists != nil {
				x.cloneLists = append(x.cloneLists, r.lists(o.Node.In(a.keep()))...)
			}
			if r.sources != nil {
				x.addSources(r.sources(o.Node.In(a.keep())), o)
			}
		}
	}
	return a.again
}

// addSources records what an object copies into other namespaces.
func (x *Index) addSources(all []cloneSource, by manifest.Object) {
	for _, s := range all {
		s.by = Cloner{Policy: by.String(), Offset: by.Node.Offset(), Context: x.isContext}
		x.cloneSources = append(x.cloneSources, s)
	}
}

// adder adds what one object produces.
type adder struct {
	x         *Index
	o         manifest.Object
	namespace string
	keep      func() *manifest.Document
	about     About
	producer  *Producer // the last that was added for it
	again     bool
}

// add adds what a row says that the object produces.
func (a *adder) add(r *row, kind, name, namespace string) {
	x, o := a.x, a.o
	if namespace == "" && !r.anywhere {
		namespace = a.namespace
	}
	written := name
	if r.refresh != nil && x.opts.BaseName != nil {
		name = x.opts.BaseName(o, name)
	}
	if a.producer == nil {
		a.again = x.addKnown(o, a.namespace)
	}
	if a.producer == nil || a.producer.row.kind != r.kind || a.producer.row.rule != r.rule {
		a.producer = &Producer{Kind: o.Kind, Namespace: a.namespace, Name: o.Name, Written: written,
			Offset: o.Node.Offset(), Context: x.isContext, group: strings.ToLower(o.Group()), row: r,
			embedded: a.about.Embedded, left: a.about.Left}
		a.read()
		x.producers = append(x.producers, a.producer)
	}
	object := &Object{Kind: kind, Namespace: namespace, Name: name, Offset: a.producer.Offset,
		producers: []*Producer{a.producer}, inContext: x.isContext}
	source := o.Kind + "/" + o.Name
	if kind == o.Kind {
		source = x.source() // a class of the CSI driver is its content itself
	}
	a.again = x.put(entry{source, object}) && kind == o.Kind || a.again
	if r.copiedBy != nil {
		x.addCopies(object, a.producer.node.At(r.copiedBy...))
	}
}

// read reads the object for its producer. What of its text is known then is not kept.
func (a *adder) read() {
	p, node := a.producer, a.o.Node
	if p.row.read == nil {
		p.node = node.In(a.keep())
		return
	}
	var r reading
	p.row.read(&r, node)
	p.problems = r.problems
	if d := node.Document(); len(r.keys) > 0 && !a.x.opts.KeepNodes && d.Fast() && node.SameAs(d.Root()) {
		p.keys, p.node = r.keys, node.In(d.CloneWithout(r.keysAt))
		return
	}
	p.node = node.In(a.keep())
}

// addKnown records an object that produces others, and reports whether one of its kind, name and namespace was there.
func (x *Index) addKnown(o manifest.Object, namespace string) (again bool) {
	if x.known == nil {
		x.known = map[producerID]struct{}{}
	}
	n := len(x.known)
	x.known[producerID{id{o.Kind, o.Name, namespace}, o.Group()}] = struct{}{}
	return len(x.known) == n
}
