package git

import (
	"bytes"
	"container/heap"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// Message is what a commit says of itself.
type Message struct {
	Commit string // its full name
	Text   string
}

// Messages returns the messages of the commits that a revision has and another one has not, the youngest first: those
// of from..to. Of a shallow clone they are those that it reaches.
func (r *Repository) Messages(from, to string) ([]Message, error) {
	old, err := r.resolve(from)
	if err != nil {
		return nil, err
	}
	now, err := r.resolve(to)
	if err != nil {
		return nil, err
	}
	w := walk{r: r, side: map[plumbing.Hash]side{}}
	own, err := w.only(now, old)
	if err != nil {
		return nil, err
	}
	var out []Message
	for _, c := range own {
		text, err := r.read(plumbing.CommitObject, c.hash)
		if err != nil {
			return nil, fmt.Errorf("read commit %s: %w", c.hash, err)
		}
		_, message, _ := bytes.Cut(text, []byte("\n\n"))
		out = append(out, Message{c.hash.String(), string(message)})
	}
	return out, nil
}

// clockSlack is how much older than its child's a commit's clock may be, in seconds, for the child to be taken into
// account: clocks differ, and commits of one second have no order.
const clockSlack = 7 * 24 * 60 * 60

// only returns the ancestors of one commit, itself among them, that are none of the other.
func (w *walk) only(one, other plumbing.Hash) ([]*commit, error) {
	if err := errors.Join(w.push(one, left), w.push(other, right)); err != nil {
		return nil, err
	}
	var met []*commit
	oldest := int64(math.MaxInt64)
	isOwn := func(c *commit) bool { return w.side[c.hash]&right == 0 }
	mayLead := func(c *commit) bool { return isOwn(c) || len(met) > 0 && c.time >= oldest-clockSlack }
	for slices.ContainsFunc(w.queue, mayLead) {
		c := heap.Pop(&w.queue).(*commit)
		s := w.side[c.hash] &^ taken
		if s == left && w.side[c.hash]&taken == 0 {
			w.side[c.hash] |= taken
			met, oldest = append(met, c), min(oldest, c.time)
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
	return slices.DeleteFunc(met, func(c *commit) bool { return !isOwn(c) }), nil
}
