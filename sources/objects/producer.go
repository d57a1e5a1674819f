package objects

import (
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// String returns "Kind namespace/name".
func (p *Producer) String() string { return manifest.Describe(p.Kind, p.Namespace, p.Name) }

// Node returns the object's place in its text.
func (p *Producer) Node() manifest.Node { return p.node }

// Refresh returns the path, from Node, of annotations whose change makes the operator fetch again; nil where there are
// none.
func (p *Producer) Refresh() []string { return p.row.refresh }

// AskedAs returns what stands in a list of what is asked for versions where the object is to be.
func (p *Producer) AskedAs() string { return cmp.Or(p.row.asked, p.Kind) }

// Problems returns what the object's operator would refuse, so that what it produces stays as it was. None has a part
// of a value.
func (p *Producer) Problems() []Invalid { return p.problems }

// WrittenKeys returns the keys that several producers write, where no part of a content stands for each of these; nil
// where those of one are not known.
func WrittenKeys(all []*Producer) (keys []string) {
	for _, p := range all {
		if p.row.writes == nil {
			return nil
		}
		keys = append(keys, p.row.writes(p.node)...)
	}
	return keys
}

// Stale returns why the operator does not fetch again what the object produces, so that a changed digest restarts pods
// without effect; "" where it does.
func (p *Producer) Stale() string {
	if p.row.stale == nil || p.group != p.row.group {
		return ""
	}
	return p.row.stale(p.node)
}

func (p *Producer) kindAndGroup() string { return strings.ToLower(p.Kind + "." + p.group) }

// repeats reports whether two are one object, or produce the same.
func (p *Producer) repeats(other *Producer) bool {
	return p.isSameAs(other) || p.row.same != nil && p.row == other.row && p.row.same(p.node, other.node)
}

// isSameAs reports whether two are one object, or one that is written twice.
func (p *Producer) isSameAs(other *Producer) bool {
	return p.Kind == other.Kind && p.Namespace == other.Namespace && p.Name == other.Name && p.group == other.group
}
