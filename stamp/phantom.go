package stamp

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// phantomKey is a key that stands for all that is in an object: a variable that is read from it gets the digest.
const phantomKey = "__data"

// phantomMark is the annotation of a pod template that says so. Its value has the key in it.
const phantomMark = hashing.VariablesMark

func mayHoldPhantoms(text []byte) bool { return bytes.Contains(text, []byte(phantomKey)) }

// phantom is a variable of a container that is read from the phantom key, or was before it was stamped.
type phantom struct {
	container, variable string
	field               string // of valueFrom
	optional            string // isOptional, isRequired, or "" where the reference does not say
	written             string // the object's name as the reference has it
	kind, name          string // of the object, as it was found
	value               string // the digest that the text has instead of the reference; "" for none
	offset              int    // of the variable
	list                manifest.Node
	index               int // in the environment
}

// What a reference says about being optional, as the mark has it.
const (
	isOptional = "/optional"
	isRequired = "/required"
)

// kindOfKeyRef returns the kind of object that a field of valueFrom names; "" for other fields.
func kindOfKeyRef(field string) string {
	switch field {
	case "configMapKeyRef":
		return refs.ConfigMap
	case "secretKeyRef":
		return refs.Secret
	}
	return ""
}

// id returns the container and the variable, as the mark has them.
func (p *phantom) id() string { return p.container + "/" + p.variable }

// String returns what the mark says of the variable.
func (p *phantom) String() string {
	return p.id() + "=" + p.field + "/" + p.written + "/" + phantomKey + p.optional
}

func (p *phantom) isOptional() bool { return p.optional == isOptional }

// isPhantom reports whether a reference is to the phantom key: no other variable is read from all keys.
func isPhantom(r *refs.Reference) bool { return r.Form == refs.FormEnv && r.All }

// parsePhantoms reads the value of a mark. What is no part of one is left out.
func parsePhantoms(text string) (out []phantom) {
	for word := range strings.FieldsSeq(text) {
		id, rest, _ := strings.Cut(word, "=")
		var p phantom
		p.container, p.variable, _ = strings.Cut(id, "/")
		p.field, rest, _ = strings.Cut(rest, "/")
		p.written, rest, _ = strings.Cut(rest, "/")
		p.optional = strings.TrimPrefix(rest, phantomKey)
		if p.kind, p.name = kindOfKeyRef(p.field), p.written; p.kind != "" && p.String() == word && p.isWritable() {
			out = append(out, p)
		}
	}
	return out
}

// isWritable reports whether the mark can hold the variable: all its names are of simple letters.
func (p *phantom) isWritable() bool {
	for _, name := range [...]string{p.container, p.variable, p.written} {
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "" {
			return false
		}
	}
	return p.optional == "" || p.optional == isOptional || p.optional == isRequired
}

// phantomsIn returns the variables of a pod template that are read from the phantom key, or were.
func phantomsIn(t *refs.Template) (out []phantom) {
	if t.Annotations == nil {
		return nil
	}
	marked := parsePhantoms(t.Node.At(t.Annotations...).Get(phantomMark).StringValue())
	for _, list := range containerLists(t.PodSpec) {
		for node := range list.Items() {
			container := node.Get("name").StringValue()
			seen := map[string]bool{}
			i := 0
			for item := range node.Get("env").Items() {
				name := item.Get("name").StringValue()
				if seen[name] { // which of them counts is not said by the name
					out = slices.DeleteFunc(out, func(p phantom) bool { return p.container == container && p.variable == name })
				} else if p, ok := phantomAt(item, container, marked); ok {
					p.list, p.index, p.offset = node, i, item.Offset()
					out = append(out, p)
				}
				seen[name] = true
				i++
			}
		}
	}
	return out
}

// phantomAt reads a variable: a reference to the phantom key, or a digest where the mark names the variable.
func phantomAt(item manifest.Node, container string, marked []phantom) (p phantom, ok bool) {
	name, value, from := item.Get("name"), item.Get("value"), item.Get("valueFrom")
	if item.Len() != 2 || name.Type() != manifest.String {
		return p, false
	}
	p = phantom{container: strings.Clone(container), variable: strings.Clone(name.StringValue())}
	if value.Type() == manifest.String && hashing.IsDigest(value.StringValue()) {
		at := slices.IndexFunc(marked, func(m phantom) bool { return m.id() == p.id() })
		if at >= 0 {
			p = marked[at]
			p.container, p.variable = strings.Clone(p.container), strings.Clone(p.variable)
			p.field, p.optional = strings.Clone(p.field), strings.Clone(p.optional)
			p.written, p.value = strings.Clone(p.written), strings.Clone(value.StringValue())
			p.name = p.written
		}
		return p, at >= 0
	}
	for _, field := range [...]string{"configMapKeyRef", "secretKeyRef"} {
		ref := from.Get(field)
		fields := 2
		if optional := ref.Get("optional"); optional.Valid() {
			fields++
			if optional.Type() != manifest.Bool {
				return p, false
			}
			if p.optional = isRequired; optional.IsTrue() {
				p.optional = isOptional
			}
		}
		if ref.Get("key").StringValue() == phantomKey && ref.Len() == fields && from.Len() == 1 {
			p.field, p.written = field, strings.Clone(ref.Get("name").StringValue())
			p.kind, p.name = kindOfKeyRef(field), p.written
			return p, p.isWritable()
		}
	}
	return p, false
}

// readPhantoms returns the variables of a template that are read from the phantom key, and makes its references to that
// key such to all keys. One that was stamped before refers to its object again.
func (r *reader) readPhantoms(o manifest.Object, found *refs.Template) []phantom {
	if !r.phantoms {
		return nil
	}
	all := phantomsIn(found)
	for i := range all {
		p := &all[i]
		item := p.list.Get("env")
		if r.rename != nil {
			p.name = r.rename(o, p.kind, p.written)
		}
		if p.value != "" {
			found.References = append(found.References, refs.Reference{Kind: p.kind, Name: p.written, Form: refs.FormEnv,
				All: true, Optional: p.isOptional(), Offset: p.offset, NameOffset: p.offset})
			continue
		}
		for k := range found.References {
			ref := &found.References[k]
			if isWithin(ref.Offset, itemOf(item, p.index)) {
				ref.Keys, ref.All = nil, true
			}
		}
	}
	return all
}

func itemOf(list manifest.Node, index int) (item manifest.Node) {
	i := 0
	for n := range list.Items() {
		if i == index {
			return n
		}
		i++
	}
	return manifest.Node{}
}

// findPhantoms finds the objects of the variables, by the names without digests: one of the other kind for one that is
// nowhere, where there is exactly one of that name.
func (r *reader) findPhantoms() {
	if !r.phantoms {
		return
	}
	base := baseNames(r.in.index, r.prefix)
	for _, w := range r.in.workloads {
		for k := range w.templates {
			t := &w.templates[k]
			if len(t.phantoms) == 0 {
				continue
			}
			t.references = withBase(t.references, base)
			for i := range t.phantoms {
				p := &t.phantoms[i]
				p.name = cmp.Or(base[named{p.kind, p.name}], p.name)
			}
			t.phantoms = slices.DeleteFunc(t.phantoms, func(p phantom) bool { return r.isOrdinary(w, t, &p) })
			for i := range t.phantoms {
				r.findPhantom(w, t, &t.phantoms[i])
			}
			groupByObject(t.references)
		}
	}
}

// isOrdinary reports whether the object of a variable has the phantom key itself: then the variable is read from that
// key as from any other.
func (r *reader) isOrdinary(w *workload, t *template, p *phantom) bool {
	object, _ := r.in.index.Find(p.kind, w.namespace, p.name)
	if object == nil || !hasPhantomKey(object) {
		return false
	}
	for i := range t.references {
		if ref := &t.references[i]; isPhantom(ref) && ref.Kind == p.kind && ref.Name == p.name {
			ref.Keys, ref.All = []string{phantomKey}, false
		}
	}
	return true
}

func hasPhantomKey(o *objects.Object) bool {
	for _, field := range [...]string{"data", "stringData", "binaryData"} {
		if o.Node().Get(field).Get(phantomKey).Valid() {
			return true
		}
	}
	return false
}

func (r *reader) findPhantom(w *workload, t *template, p *phantom) {
	object, source := r.in.index.Find(p.kind, w.namespace, p.name)
	if object != nil || source != objects.Absent {
		return
	}
	other := refs.Secret
	if p.kind == refs.Secret {
		other = refs.ConfigMap
	}
	if object, _ = r.in.index.Find(other, w.namespace, p.name); object == nil {
		return
	}
	at := w.offset
	for i := range t.references {
		if ref := &t.references[i]; isPhantom(ref) && ref.Kind == p.kind && ref.Name == p.name {
			ref.Kind, at = other, ref.Offset
		}
	}
	from := p.kind
	for i := range t.phantoms {
		if same := &t.phantoms[i]; same.kind == from && same.name == p.name {
			same.kind = other
		}
	}
	what := manifest.Describe(from, w.namespace, p.name)
	r.add(diag.New(diag.PhantomKind, w.String(), "the key "+phantomKey+" is asked of "+what+
		", which is not in the input: "+manifest.Describe(other, w.namespace, p.name)+" counts").WithAbout(what), at)
}

// wantPhantoms wants the digest of a decision in the variables that are read from the phantom key of its object. It
// reports whether these restart the workload, so that no other stamp of the object is needed.
func (t *templateOutcome) wantPhantoms(at int, c *consumer, d *decision) (restarts bool) {
	for i := range c.phantoms {
		p := &c.phantoms[i]
		if p.kind != d.Kind || p.name != d.Name || d.elsewhere != "" || !c.isWritten() {
			continue
		}
		if !p.hasDigest(d) {
			continue
		}
		t.want(plan.Wanted{Place: at, Kind: d.Kind, Name: d.Name, Key: p.id(), Value: d.Digest, Reason: plan.Variable})
		d.Phantoms, restarts = append(d.Phantoms, p.id()), true
		d.Annotation = ""
		if d.Variable == "" {
			d.Variable = p.variable
		}
	}
	return restarts
}

// hasDigest reports whether the variable has a digest after a decision: that of today, or an earlier one that stays.
func (p *phantom) hasDigest(d *decision) bool { return d.Digest != "" || d.keep && p.value != "" }

// reportPhantoms reports variables that stay references to the phantom key: no kubelet finds that, and the pod does not
// start.
func (c *consumer) reportPhantoms(run *run, d *decision, offset int) {
	for i := range c.phantoms {
		p := &c.phantoms[i]
		if p.kind != d.Kind || p.name != d.Name || d.elsewhere != "" || p.isOptional() {
			continue
		}
		what, hint := manifest.Describe(d.Kind, d.Namespace, d.Name), ""
		why := "nothing is known of " + what
		switch {
		case c.isWritten() && p.hasDigest(d), c.strategy == nil && p.value != "":
			continue
		case !c.isWritten():
			why = "nothing is written into the workload"
		case d.leftOut != "":
			why = what + " is left out: " + d.leftOut
			hint = "Take that back, or read the variable from a key that the object has."
		case d.object != nil:
			why = what + " has no digest here"
		}
		f := diag.New(diag.PhantomStays, c.workload.String(), "variable "+p.variable+" of container "+p.container+
			" is read from the key "+phantomKey+", and the pod will not start: "+why).WithKey(phantomKey)
		if hint != "" {
			f.Hint = hint
		}
		d.Findings = append(d.Findings, f.At(run.in.positions.At(offset)))
	}
}
