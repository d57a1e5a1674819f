package git

import (
	"slices"
	"strings"
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
