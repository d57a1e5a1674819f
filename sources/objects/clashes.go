package objects

import (
	"iter"

	"github.com/rollstamp/rollstamp/config"
)

// Clash is two objects that produce one ConfigMap or Secret, where neither is there to add to the other.
type Clash struct {
	Object   *Object
	Producer *Producer
	Other    *Producer // nil where it is the Object itself, in the input, which counts
}

// Clashes returns each thing in the input that produces what something else in the input does, in its order.
func (x *Index) Clashes() iter.Seq[Clash] {
	return func(yield func(Clash) bool) {
		for o := range x.All() {
			if len(o.producers) == 0 || o.IsProduced() && len(o.producers) == 1 || !x.isIndexed(o) {
				continue
			}
			for _, c := range o.clashes() {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// isIndexed reports whether an object is the one that is found by its name.
func (x *Index) isIndexed(o *Object) bool {
	e, _ := x.entries[o.Kind][o.Name].in(o.Namespace)
	return e.object == o
}

func (o *Object) clashes() (out []Clash) {
	var first *Producer
	for _, p := range o.producers {
		switch merge := o.mergeOf(p); {
		case p.row.yields && p.row.same == nil:
		case merge == config.MergeOverlay, merge == config.MergeFill && !o.IsProduced():
		case !o.isShapedBy(p):
			out = append(out, Clash{Object: o, Producer: p})
		case first == nil:
			first = p
		case !p.isSameAs(first) || p.row.rule != first.row.rule:
			out = append(out, Clash{Object: o, Producer: p, Other: first})
		}
	}
	return out
}

// String returns what clashes with what, and which counts.
func (c Clash) String() string {
	what := c.Object.String()
	if c.Other == nil {
		return what + " is in the input, too, and that one counts"
	}
	return c.Other.String() + " makes " + what + ", too, and both count"
}
