package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/sources/objects"
)

// checked is what is invalid in the contents that were read, so that none is read twice for it.
type checked struct {
	done    []bool // by the objects' numbers
	invalid map[*objects.Object][]objects.Invalid
}

func newChecked(index *objects.Index) checked {
	return checked{make([]bool, len(index.Objects())), map[*objects.Object][]objects.Invalid{}}
}

// add takes what is invalid in an object of the input.
func (c *checked) add(o *objects.Object, content *objects.Content) {
	if o.IsProduced() || o.Context() || c.done[o.Number()] {
		return
	}
	c.done[o.Number()] = true
	if len(content.Invalid) > 0 {
		c.invalid[o] = slices.Clone(content.Invalid)
	}
}
