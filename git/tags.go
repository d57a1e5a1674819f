package git

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Tags lists the names of all tags, sorted.
func (r *Repository) Tags() []string {
	r.mu.Lock()
	refs, err := r.refs.Refs()
	r.mu.Unlock()
	if err != nil {
		return nil // what is named all the same is looked for, and not found
	}
	var out []string
	for _, ref := range refs {
		if name, ok := strings.CutPrefix(ref.Name().String(), "refs/tags/"); ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// IsFixed reports whether a name of a revision stays with its commit: a full hash, a tag, or a range of versions that a
// tag lies in.
func (r *Repository) IsFixed(rev string) bool {
	if plumbing.IsHash(rev) {
		return true
	}
	tags := r.Tags()
	_, ranged := Highest(tags, rev)
	return ranged || slices.Contains(tags, rev)
}
