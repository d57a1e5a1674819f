package stamp

import (
	"cmp"
	"slices"

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

// stamped reports whether the template gets stamps.
func (c *consumer) stamped() bool { return c.slot != nil }

// consumption is all that a template refers to of one object.
type consumption struct {
	references []refs.Reference // at least one
	object     *objects.Object  // nil where none is known
	source     string           // where it was found
}

// readByPod reports whether something else than the pull of an image reads the object.
func (c *consumption) readByPod() bool {
	return slices.ContainsFunc(c.references, func(r refs.Reference) bool { return r.Form != refs.FormPull })
}

// consumers returns the templates of an input with the object of each reference. A reference to a name that carries a
// digest, which base has, means the object without it.
func consumers(in *Input, base map[string]string) []consumer {
	templates, references := 0, 0
	for i := range in.workloads {
		templates += len(in.workloads[i].templates)
		for _, t := range in.workloads[i].templates {
			references += len(t.references)
		}
	}
	out := make([]consumer, 0, templates)
	g := grouper{all: make([]consumption, 0, references)}
	for i := range in.workloads {
		w := &in.workloads[i]
		for k := range w.templates {
			t := &w.templates[k]
			consumed := g.group(withBase(t.references, base))
			for n := range consumed {
				c := &consumed[n]
				c.object, c.source = in.index.Find(c.references[0].Kind, w.Namespace, c.references[0].Name)
			}
			out = append(out, consumer{template: t, workload: w, index: i, named: t.named, consumed: consumed})
		}
	}
	return out
}

// withBase returns references to the names that digests know.
func withBase(references []refs.Reference, base map[string]string) []refs.Reference {
	if len(base) == 0 {
		return references
	}
	references = slices.Clone(references)
	for i := range references {
		if r := &references[i]; r.Kind == refs.Secret {
			r.Name = cmp.Or(base[r.Name], r.Name)
		}
	}
	return references
}

// grouper brings references to one object together, for one template after the other in the same memory.
type grouper struct {
	all    []consumption // of all templates; its capacity is the number of references
	number []int         // of each reference's group
	starts []int         // of the groups in the order by group
}

// group returns a consumption for each object, in the order of the first reference to it.
func (g *grouper) group(references []refs.Reference) []consumption {
	n := g.count(references)
	g.starts = append(g.starts[:0], make([]int, n+1)...)
	for _, i := range g.number {
		g.starts[i+1]++
	}
	for i := range n {
		g.starts[i+1] += g.starts[i]
	}
	if !slices.IsSorted(g.number) {
		ordered, next := make([]refs.Reference, len(references)), slices.Clone(g.starts)
		for k, i := range g.number {
			ordered[next[i]] = references[k]
			next[i]++
		}
		references = ordered
	}
	first := len(g.all)
	for i := range n {
		g.all = append(g.all, consumption{references: references[g.starts[i]:g.starts[i+1]:g.starts[i+1]]})
	}
	return g.all[first:len(g.all):len(g.all)]
}

// count numbers the references by group, and returns how many groups there are. Nearly always there are few, and
// looking through them costs less than a map.
func (g *grouper) count(references []refs.Reference) int {
	const few = 64
	g.number = g.number[:0]
	var known map[[2]string]int
	if len(references) > few {
		known = make(map[[2]string]int, len(references))
	}
	groups := 0
	for k := range references {
		i := groups
		if known != nil {
			id := [2]string{references[k].Kind, references[k].Name}
			if old, found := known[id]; found {
				i = old
			} else {
				known[id] = i
			}
		} else if same := sameObject(references[:k], &references[k]); same >= 0 {
			i = g.number[same]
		}
		g.number = append(g.number, i)
		groups = max(groups, i+1)
	}
	return groups
}

// sameObject returns the index of a reference to the same object, or -1.
func sameObject(references []refs.Reference, as *refs.Reference) int {
	for i := range references {
		if references[i].Name == as.Name && references[i].Kind == as.Kind {
			return i
		}
	}
	return -1
}
