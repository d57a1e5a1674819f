package git

import (
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// FirstParents returns the commits that led to a revision, that one first and at most so many: of a merge the one that
// it was made on. IsCut reports that a shallow clone lacks the next of them.
func (r *Repository) FirstParents(rev string, most int) (commits []string, isCut bool, err error) {
	hash, err := r.resolve(rev)
	for err == nil && len(commits) < most {
		var c *commit
		if c, err = r.commit(hash); err != nil {
			break
		}
		commits = append(commits, hash.String())
		if len(c.parents) == 0 {
			return commits, r.shallow[hash], nil
		}
		hash = c.parents[0]
	}
	return commits, false, err
}

// HasRefs reports whether any branch, tag or other name is there: a repository without one has no commit that anybody
// could mean.
func (r *Repository) HasRefs() (bool, error) {
	r.mu.Lock()
	refs, err := r.refs.Refs()
	r.mu.Unlock()
	if err != nil {
		return false, r.fail(fmt.Errorf("list the branches: %w", err), "")
	}
	return slices.ContainsFunc(refs, isNamed), nil
}

// isNamed reports whether a reference leads to an object itself, as HEAD does only where it is detached.
func isNamed(ref *plumbing.Reference) bool { return ref.Type() == plumbing.HashReference }
