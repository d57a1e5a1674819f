package git

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
