package objects

import (
	"iter"

	"github.com/rollstamp/rollstamp/config"
)

// Clash is two objects that produce one ConfigMap or Secret, where neither is made to add to the other.
type Clash struct {
	Object   *Object
	Producer *Producer
	Other    *Producer // nil where it is the Object itself, in the input, which counts
}

// Clashes returns each thing in the input that makes what something else in the input produces, in its order.
func (x *Index) Clashes() iter.Seq[Clash] {
	return func(yield func(Clash) bool) {
		for o := range x.All() {
			if len(o.producers) == 0 || !o.node.Valid() && len(o.producers) == 1 || x.stored(o.Kind, o.Namespace, o.Name) != o {
				continue
			}
			var first *Producer
			for _, m := range o.producers {
				c := Clash{Object: o, Producer: m, Other: first}
				switch merge := o.mergeOf(m); {
				case merge == config.MergeOverlay, merge == config.MergeFill && o.node.Valid():
					continue
				case !o.takes(m):
					c.Other = nil
				case first == nil:
					first = m
					continue
				case m.same(first):
					continue
				}
				if !yield(c) {
					return
				}
			}
		}
	}
}

// same reports whether two are one object, or one that is written twice.
func (m *Producer) same(other *Producer) bool {
	return m.Kind == other.Kind && m.Namespace == other.Namespace && m.Name == other.Name && m.group == other.group
}

// String returns what clashes with what, and which counts.
func (c Clash) String() string {
	what := c.Object.String()
	if c.Other == nil {
		return what + " is in the input, too, and that one counts"
	}
	return c.Other.String() + " makes " + what + ", too, and both count"
}
