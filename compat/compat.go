// Package compat reads what people wrote for other tools that restart pods, as rules about what a workload consumes:
// what it is to be stamped for, what not, and what it is to be stamped for although its pods do not refer to it.
package compat

import (
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// FormNamed is the form of a reference that an annotation of another tool makes.
const FormNamed refs.Form = "named"

// Report takes a finding about what is at an offset of the text.
type Report func(f diag.Finding, offset int)

// Workload is an object with a pod template, while it is read.
type Workload struct {
	Object    manifest.Object
	Namespace string        // that it is in, also where the object does not name it
	Template  manifest.Node // its pod template
	Report    Report
}

// Rule is what one tool's annotations on a workload mean. It holds no node.
type Rule struct {
	Named []Named
	judge func(*Candidate) string // nil leaves everything as it is
	// compare returns where the tool itself does otherwise, once all objects are known; nil where it never does.
	compare func(*Template) []diag.Finding
}

// Template is a pod template with all that it refers to, once all objects are known.
type Template struct {
	Workload   string // as messages name objects
	Namespace  string
	References []refs.Reference // those to one object follow each other
	Names      *Names
}

// candidates yields what the template refers to in its own namespace, and that is known.
func (t *Template) candidates(yield func(*Candidate) bool) {
	all := t.References
	for len(all) > 0 {
		first, n := &all[0], 1
		for n < len(all) && all[n].Kind == first.Kind && all[n].Name == first.Name && all[n].Namespace == first.Namespace {
			n++
		}
		if first.Namespace == "" {
			if o, _ := t.Names.index.Find(first.Kind, t.Namespace, first.Name); o != nil {
				c := t.candidate(o)
				c.References = all[:n]
				if !yield(c) {
					return
				}
			}
		}
		all = all[n:]
	}
}

// candidate returns an object as rules are asked about it, where nothing refers to it.
func (t *Template) candidate(o *objects.Object) *Candidate {
	return &Candidate{Kind: o.Kind, Name: o.Name, Object: o, Namespace: t.Namespace, Index: t.Names.index}
}

// Named is an object, or several, that an annotation names. The pods need not refer to it.
type Named struct {
	Kind      string
	Namespace string      // "" for that of the workload
	Name      string      // "" for all that Match does
	Match     *Expression // nil with a Name
	Offset    int         // of the annotation in the text
}

// Candidate is an object that the pods of a workload refer to, or that a tool names.
type Candidate struct {
	Kind, Name string          // the kind is sources.Vault for what a pod template takes from there by itself
	Object     *objects.Object // nil where none is known
	References []refs.Reference
	Namespace  string         // of the workload
	Index      *objects.Index // of all objects, for what the Namespace has
}

// annotation returns an annotation of the object, "" where none is known.
func (c *Candidate) annotation(key string) string {
	if c.Object == nil {
		return ""
	}
	return c.Object.Annotation(key)
}

// comesFrom reports whether something of one of the kinds produces the object.
func (c *Candidate) comesFrom(kinds ...string) bool {
	return c.Object != nil && slices.ContainsFunc(c.Object.Producers(),
		func(p *objects.Producer) bool { return slices.Contains(kinds, p.Kind) })
}

// Rules are those that a workload has, of all tools.
type Rules []Rule

// Excludes returns why an object is not to restart a workload; "" where it is.
func (r Rules) Excludes(c *Candidate) string {
	for i := range r {
		if r[i].judge == nil {
			continue
		}
		if why := r[i].judge(c); why != "" {
			return why
		}
	}
	return ""
}

// MoveTo has all that the rules name be named at an offset of the text.
func (r Rules) MoveTo(offset int) {
	for i := range r {
		for j := range r[i].Named {
			r[i].Named[j].Offset = offset
		}
	}
}

// Compare returns where the tools themselves do otherwise for a template.
func (r Rules) Compare(t *Template) (found []diag.Finding) {
	for i := range r {
		if r[i].compare != nil {
			found = append(found, r[i].compare(t)...)
		}
	}
	return found
}

// Tools are the other tools whose annotations are in force.
type Tools struct {
	read     []reader
	objects  []onObject
	targets  bool // of VSO's objects count
	findings []diag.Finding
}

// Findings returns what is wrong with how the tools are said to be set up.
func (t *Tools) Findings() []diag.Finding {
	if t == nil {
		return nil
	}
	return t.findings
}

// reader returns what a tool's annotations on a workload mean, nil where nothing of it concerns the workload.
type reader func(*Workload) *Rule

// tools are the other tools, in the order in which their rules are asked.
var tools = []struct {
	isOn   func(*config.Compat) bool
	reader func(*config.Settings) (reader, []diag.Finding)
	// onObjects returns the annotations that the tool reads on what workloads refer to; nil where there are none
	onObjects func(*config.Settings) []onObject
}{
	{func(c *config.Compat) bool { return isSet(c.Reloader.Value, config.ReloaderOff) }, newReloader,
		reloaderOnObjects},
	{honours(func(c *config.Compat) config.OtherCompat { return c.Wave.Value }), newWave, nil},
	{honours(func(c *config.Compat) config.OtherCompat { return c.Doppler.Value }), newDoppler, nil},
	{honours(func(c *config.Compat) config.OtherCompat { return c.OnePassword.Value }), newOnePassword,
		onePasswordOnObjects},
	{honours(func(c *config.Compat) config.OtherCompat { return c.Infisical.Value }), newInfisical, nil},
	{honours(func(c *config.Compat) config.OtherCompat { return c.BankVaults.Value }), newBankVaults, nil},
	{honours(func(c *config.Compat) config.OtherCompat { return c.Flagger.Value }), newFlagger, flaggerOnObjects},
	{honours(func(c *config.Compat) config.OtherCompat { return c.FluxOperator.Value }), newFluxOperator, nil},
}

func honours(value func(*config.Compat) config.OtherCompat) func(*config.Compat) bool {
	return func(c *config.Compat) bool { return isSet(value(c), config.CompatOff) }
}

func isSet[T ~string](value, off T) bool { return value != "" && value != off }

// New returns the tools whose annotations are in force; nil where there are none.
func New(s *config.Settings) *Tools {
	var t *Tools
	for _, row := range tools {
		if !row.isOn(&s.Compat) {
			continue
		}
		if t == nil {
			t = &Tools{}
		}
		read, found := row.reader(s)
		t.read, t.findings = append(t.read, read), append(t.findings, found...)
		if row.onObjects != nil {
			t.objects = append(t.objects, row.onObjects(s)...)
		}
	}
	if found := findUnreadArgs(s); found != nil {
		if t == nil {
			t = &Tools{}
		}
		t.findings = append(t.findings, found...)
	}
	if len(s.Bindings.Value) > 0 {
		if t == nil {
			t = &Tools{}
		}
		read, _ := newCommandK(s)
		t.read = append(t.read, read)
	}
	if isSet(s.Compat.VSO.Value, config.CompatOff) {
		if t == nil {
			t = &Tools{}
		}
		t.targets = true
	}
	return t
}

// Read returns the rules of a workload. Those of no tools are none.
func (t *Tools) Read(w *Workload) (out Rules) {
	if t == nil {
		return nil
	}
	for _, read := range t.read {
		if rule := read(w); rule != nil {
			out = append(out, *rule)
		}
	}
	return out
}
