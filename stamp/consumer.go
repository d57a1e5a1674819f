package stamp

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// consumer is a pod template with the objects that it consumes.
type consumer struct {
	*template
	workload *workload
	index    int           // of the workload
	consumed []consumption // one for each object, in the order of the first reference to it
	named    []objects.RemoteRef
}

// isStamped reports whether digests are made for the template, and errors about what it consumes are errors of the run.
func (c *consumer) isStamped() bool { return c.strategy != nil }

// asWritten returns the reference of a decision with the annotation, or variable, that its digest gets into.
func (c *consumer) asWritten(d *decision, prefix hashing.Prefix) plan.Reference {
	r := d.Reference
	switch {
	case r.Annotation == "":
	case isEnvironment(c.template) && c.combined:
		r.Annotation, r.Variable = "", hashing.CombinedVariable
	case isEnvironment(c.template):
		r.Annotation, r.Variable = "", hashing.Variable(r.Kind, annotatedName(d.elsewhere, r.Name))
	case c.combined:
		r.Annotation = prefix.Combined()
	}
	return r
}

// references returns how many references of the plan the template has at most.
func (c *consumer) references() int {
	if c.isStamped() && len(c.named) > 0 {
		return len(c.consumed) + 1
	}
	return len(c.consumed)
}

// consumption is all that a template refers to of one object.
type consumption struct {
	references []refs.Reference // at least one
	object     *objects.Object  // nil where none is known
	source     string           // where it was found
	excluded   string           // why it is not to restart the workload, by another tool's annotations; else ""
}

// counts reports whether something else than the pull of an image reads the object, and nothing excludes it.
func (c *consumption) counts() bool {
	if c.excluded != "" {
		return false
	}
	for i := range c.references {
		if readByPod(&c.references[i]) {
			return true
		}
	}
	return false
}

// consumers returns the templates of an input with the object of each reference. A reference to a name that carries a
// digest, which base has, means the object without it.
func consumers(in *Input, base map[named]string) []consumer {
	templates, objects := 0, 0
	for _, w := range in.workloads {
		templates += len(w.templates)
		for k := range w.templates {
			objects += countGroups(w.templates[k].references)
		}
	}
	out, all := make([]consumer, 0, templates), make([]consumption, 0, objects)
	for i, w := range in.workloads {
		for k := range w.templates {
			t, first := templateWithBase(&w.templates[k], base), len(all)
			for rest := withBase(t.references, base); len(rest) > 0; {
				n := groupLen(rest)
				c := consumption{references: rest[:n:n]}
				c.object, c.source = in.index.Find(rest[0].Kind, cmp.Or(rest[0].Namespace, w.namespace), rest[0].Name)
				if len(t.rules) > 0 {
					c.excluded = t.rules.Excludes(candidate(in, w, &c))
				}
				all, rest = append(all, c), rest[n:]
			}
			out = append(out, consumer{template: t, workload: w, index: i, named: t.named,
				consumed: all[first:len(all):len(all)]})
		}
	}
	return out
}

// withBase returns references to the names that digests know.
func withBase(references []refs.Reference, base map[named]string) []refs.Reference {
	if len(base) == 0 {
		return references
	}
	references = slices.Clone(references)
	for i := range references {
		r := &references[i]
		r.Name = cmp.Or(base[named{r.Kind, r.Name}], r.Name)
	}
	groupByObject(references)
	return references
}

// naming is a strategy that knows objects by the names that a text has for them.
type naming interface {
	// withBase returns the strategy for the names that digests know.
	withBase(base map[named]string) strategy
}

// templateWithBase returns a template whose strategy goes by the names that digests know.
func templateWithBase(t *template, base map[named]string) *template {
	n, isNaming := t.strategy.(naming)
	if len(base) == 0 || !isNaming {
		return t
	}
	out := *t
	out.strategy = n.withBase(base)
	return &out
}

// candidate returns what other tools' annotations are asked about.
func candidate(in *Input, w *workload, c *consumption) *compat.Candidate {
	return &compat.Candidate{Kind: c.references[0].Kind, Name: c.references[0].Name, Object: c.object,
		References: c.references, Namespace: w.namespace, Index: in.index}
}
