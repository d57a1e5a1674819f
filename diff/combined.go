package diff

import (
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/hashing"
)

// all returns what a changed place of the pod template means: one cause, or of a stamp for all references one for each
// whose digest is another.
func (c *causes) all(f FieldChange) (out []Cause) {
	if name, ok := c.prefixes.stamp(f.Path); !ok || name != hashing.CombinedName && name != hashing.CombinedVariable {
		return []Cause{c.of(f)}
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.before)), maps.Keys(c.after))
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		if c.digestBefore(name) != c.digestAfter(name) {
			out = append(out, c.ofReference(f, name))
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, name := range names {
		before, now := c.counterparts(name)
		if before != nil && now != nil && c.isWrittenElsewhere(before, now) {
			out = append(out, c.ofReference(f, name))
		}
	}
	if len(out) > 0 {
		return out
	}
	cause := c.of(f)
	if f.Change == Addition {
		cause.Reason = First
	}
	return []Cause{cause}
}

func (c *causes) digestBefore(name string) string {
	if r := c.before[name]; r != nil {
		return r.Digest
	}
	return ""
}

func (c *causes) digestAfter(name string) string {
	if r := c.after[name]; r != nil {
		return r.Digest
	}
	return ""
}
