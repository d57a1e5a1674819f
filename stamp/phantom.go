package stamp

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
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
	offset              int    // of the variable, or of its reference
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

// wantPhantoms wants the digest of a decision in the variables that are read from the phantom key of its object. It
// reports whether these restart the workload, so that no other stamp of the object is needed.
func (t *templateOutcome) wantPhantoms(at int, c *consumer, d *decision) (restarts bool) {
	for i := range c.phantoms {
		p := &c.phantoms[i]
		if !c.writesInto(p, d) {
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

// hasVariableOf reports whether a variable of the template gets the digest of a decision.
func (c *consumer) hasVariableOf(d *decision) bool {
	return slices.ContainsFunc(c.phantoms, func(p phantom) bool { return c.writesInto(&p, d) })
}

// writesInto reports whether a variable gets the digest of a decision.
func (c *consumer) writesInto(p *phantom, d *decision) bool {
	return p.kind == d.Kind && p.name == d.Name && d.elsewhere == "" && c.isWritten() && p.hasDigest(d)
}

// hasDigest reports whether the variable has a digest after a decision: that of today, or an earlier one that stays.
func (p *phantom) hasDigest(d *decision) bool { return d.Digest != "" || d.keep && p.value != "" }

// reportPhantoms reports variables that stay references to the phantom key: no kubelet finds that, and the pod does not
// start.
func (c *consumer) reportPhantoms(run *run, d *decision, all []refs.Reference) {
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
		d.Findings = append(d.Findings, f.At(run.in.positions.At(c.offsetOf(p, all))))
	}
}

// offsetOf returns where a variable is read: of a document that is encoded again, where the first one is that is read
// from the object.
func (c *consumer) offsetOf(p *phantom, all []refs.Reference) int {
	if c.document == inPlace {
		return p.offset
	}
	return all[max(slices.IndexFunc(all, isPhantomOf), 0)].Offset
}
