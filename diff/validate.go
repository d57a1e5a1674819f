package diff

import (
	"fmt"
	"slices"
)

// Validate returns an error for a comparison that was read and is not whole, or says what this version does not know:
// what is left out or not understood must not read as if nothing restarts.
func (c *Comparison) Validate() error {
	for _, list := range []struct {
		name   string
		absent bool
	}{
		{"apps", c.Apps == nil}, {"restarts", c.Restarts == nil}, {"quiet", c.Quiet == nil}, {"objects", c.Objects == nil},
		{"edges", c.Edges == nil}, {"findings", c.Findings == nil},
	} {
		if list.absent {
			return fmt.Errorf("it has no list of %s", list.name)
		}
	}
	if s := c.Shard; s != nil && (s.Number < 1 || s.Number > s.Of) {
		return fmt.Errorf("it is part %d of %d", s.Number, s.Of)
	}
	return c.validateWords()
}

// validateWords checks the words by which it is decided what restarts.
func (c *Comparison) validateWords() error {
	for _, a := range c.Apps {
		if !slices.Contains([]Status{Same, Changed, Added, Removed, Failed}, a.Status) {
			return unknownWord("status", string(a.Status))
		}
	}
	for _, b := range c.Blocked {
		if !slices.Contains([]Hindrance{Gone, KeyGone, NoKey, Refused, Deleted}, b.Reason) {
			return unknownWord("reason", string(b.Reason))
		}
	}
	for _, u := range c.Unknown {
		if !slices.Contains([]Ignorance{Elsewhere, Unread, PerhapsRead, NoObject, Renamed, Moved, Uncertain,
			FailedReader, StampsBefore}, u.Reason) {
			return unknownWord("reason", string(u.Reason))
		}
		if u.Object == nil && (u.Reason == Elsewhere || u.Reason == Moved || u.Reason == Uncertain ||
			u.Reason == FailedReader) {
			return fmt.Errorf("%s without an object", u.Reason)
		}
		if !slices.Contains([]Change{"", Addition, Removal}, u.Change) {
			return unknownWord("change", string(u.Change))
		}
	}
	for _, r := range c.Repeated {
		if !slices.Contains(effects, r.Rollout.Effect) {
			return unknownWord("effect", string(r.Rollout.Effect))
		}
	}
	for _, r := range c.Restarts {
		if !slices.Contains(effects, r.Rollout.Effect) {
			return unknownWord("effect", string(r.Rollout.Effect))
		}
	}
	return nil
}

var effects = []Effect{Rolling, AllAtOnce, Progressive, Revision, Paused, Suspended, OnDelete, NextRun, Rerun, Rejected,
	Nothing, NoneToStay}

func unknownWord(of, word string) error {
	return fmt.Errorf("%s %q is not known to this version", of, word)
}
