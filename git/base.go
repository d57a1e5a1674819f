package git

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// MergeBase returns the commit from which two revisions went apart: of their common ancestors the one that no other
// descends from, and of several the youngest. History is read from its young end on, and no further than needed.
func (r *Repository) MergeBase(a, b string) (string, error) {
	one, err := r.resolve(a)
	if err != nil {
		return "", err
	}
	two, err := r.resolve(b)
	if err != nil {
		return "", err
	}
	if one == two {
		return one.String(), nil
	}
	w := walk{r: r, side: map[plumbing.Hash]side{}}
	bases, err := w.common(one, two)
	if err != nil {
		return "", err
	}
	if len(bases) == 0 {
		err, hint := fmt.Errorf("find where %s and %s went apart: they have no common commit", a, b), ""
		if len(r.shallow) > 0 {
			err, hint = fmt.Errorf("find where %s and %s went apart: this shallow clone does not reach so far back", a, b),
				"Fetch more of the history with git fetch --unshallow."
		}
		return "", r.fail(err, hint)
	}
	best, err := w.best(bases)
	if err != nil {
		return "", err
	}
	return best.hash.String(), nil
}

// side is whose ancestor a commit is.
type side uint8

const (
	left  side = 1 << iota
	right      // both: a common ancestor
	older      // an ancestor of a common ancestor
	taken      // a common ancestor that was noted
)

// walk goes through history from two commits on, the youngest commit first.
type walk struct {
	r     *Repository
	side  map[plumbing.Hash]side
	queue byAge
}

func (w *walk) push(hash plumbing.Hash, s side) error {
	c, err := w.r.commit(hash)
	if err != nil {
		return err
	}
	w.side[hash] |= s
	heap.Push(&w.queue, c)
	return nil
}

// common returns the common ancestors that the walk meets first on each way.
func (w *walk) common(one, two plumbing.Hash) ([]*commit, error) {
	if err := errors.Join(w.push(one, left), w.push(two, right)); err != nil {
		return nil, err
	}
	var met []*commit
	for w.open() {
		c := heap.Pop(&w.queue).(*commit)
		s := w.side[c.hash] &^ taken
		if s == left|right {
			if w.side[c.hash]&taken == 0 {
				w.side[c.hash] |= taken
				met = append(met, c)
			}
			s |= older
		}
		for _, p := range c.parents {
			if w.side[p]&s == s {
				continue
			}
			if err := w.push(p, s); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(met, func(c *commit) bool { return w.side[c.hash]&older != 0 }), nil
}

// open reports whether a commit waits that is not an ancestor of a common one.
func (w *walk) open() bool {
	return slices.ContainsFunc(w.queue, func(c *commit) bool { return w.side[c.hash]&older == 0 })
}

// best leaves out what is an ancestor of another: clocks that go wrong can bring that about.
func (w *walk) best(bases []*commit) (*commit, error) {
	var kept []*commit
	for i, c := range bases {
		hidden := false
		for j, other := range bases {
			if i == j || hidden {
				continue
			}
			inner := walk{r: w.r, side: map[plumbing.Hash]side{}}
			shared, err := inner.common(c.hash, other.hash)
			if err != nil {
				return nil, err
			}
			hidden = len(shared) == 1 && shared[0].hash == c.hash
		}
		if !hidden {
			kept = append(kept, c)
		}
	}
	slices.SortStableFunc(kept, func(a, b *commit) int { return int(min(1, max(-1, b.time-a.time))) })
	return kept[0], nil
}

// byAge is a heap with the youngest commit on top.
type byAge []*commit

func (q byAge) Len() int           { return len(q) }
func (q byAge) Less(i, j int) bool { return q[i].time > q[j].time }
func (q byAge) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *byAge) Push(x any)        { *q = append(*q, x.(*commit)) }

func (q *byAge) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
