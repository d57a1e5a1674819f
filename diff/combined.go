package diff

import (
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/hashing"
)

// combinedPath is the path of a stamp that holds the digest of all references.
const combinedPath = `metadata.annotations["` + hashing.Combined + `"]`

// all returns what a changed place of the pod template means: one cause, or of a stamp for all references one for each
// whose digest is another.
func (c *causes) all(f FieldChange) (out []Cause) {
	if f.Path != combinedPath {
		return []Cause{c.of(f)}
	}
	annotations := slices.AppendSeq(slices.Collect(maps.Keys(c.before)), maps.Keys(c.after))
	slices.Sort(annotations)
	for _, annotation := range slices.Compact(annotations) {
		if c.digestBefore(annotation) != c.digestAfter(annotation) {
			out = append(out, c.ofReference(f, annotation))
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

func (c *causes) digestBefore(annotation string) string {
	if r := c.before[annotation]; r != nil {
		return r.Digest
	}
	return ""
}

func (c *causes) digestAfter(annotation string) string {
	if r := c.after[annotation]; r != nil {
		return r.Digest
	}
	return ""
}
