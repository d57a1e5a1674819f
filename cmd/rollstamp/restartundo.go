package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/wiring"
)

// undoRestarts has the locks hold the restarts of workloads as the last commit has them. One that is committed stays:
// where it is applied, taking it out would restart the workload once more.
func (p *program) undoRestarts(ctx context.Context, all []subject, meant map[*plan.Workload]bool) error {
	committed, err := committedLocks(all)
	if err != nil {
		return err
	}
	_, err = p.decide(ctx, all, func(s *subject, u *lock.Update, names []lock.Application) {
		for k := range s.Workloads {
			w := &s.Workloads[k]
			if !meant[w] {
				continue
			}
			why := "no line that restarts it"
			switch has, changed := s.undoRestart(w, u, committed[u.Path()], names); {
			case changed:
				continue
			case has:
				why = "its restart as the last commit has it: revert the commit that asked for it"
			}
			fmt.Fprintf(p.err, "note: %s/%s: %s has %s\n", w.Kind, w.Name, fromHere(u.Path()), why)
		}
	})
	return err
}

// undoRestart has a lock hold the restarts of a workload as another one does, and reports whether it holds any, and
// whether that changed it.
func (s *subject) undoRestart(
	w *plan.Workload, u *lock.Update, committed *lock.File, names []lock.Application,
) (has, changed bool) {
	for _, name := range names {
		was, now := s.restarts(w, committed, name), s.restarts(w, u.New(), name)
		changed = changed || !slices.Equal(was, now)
		has = has || len(was) > 0
		for _, d := range now {
			u.Forget(name, d)
		}
		for _, d := range was {
			u.Decide(name, d)
		}
	}
	return has, changed
}

// restarts returns the restarts of a workload that a lock holds under a name of its application: the one that names its
// namespace, where there is one.
func (s *subject) restarts(w *plan.Workload, f *lock.File, name lock.Application) (out []lock.Decision) {
	id := policy.WorkloadID(w.Kind, w.Namespace, w.Name)
	for _, line := range s.lines(f, name) {
		if line.Class != lock.Restart || line.of.workload != id {
			continue
		}
		d := lock.Decision{Class: line.Class, Workload: line.Workload, Text: line.Text}
		if line.Workload == id {
			return []lock.Decision{d}
		}
		out = append(out, d)
	}
	return out
}

// committedLocks returns the locks of applications as the last commit has them, by their paths; without lines where
// none has one.
func committedLocks(all []subject) (map[string]*lock.File, error) {
	var locks lock.Updates
	out := map[string]*lock.File{}
	for i := range all {
		u, err := locks.At(all[i].Settings().Place())
		if err != nil {
			return nil, err
		}
		if out[u.Path()] != nil {
			continue
		}
		out[u.Path()] = &lock.File{}
		if text := wiring.Committed(u.Path()); text != nil {
			if out[u.Path()], err = lock.Parse(u.Path(), text); err != nil {
				return nil, fmt.Errorf("read the lock of the last commit: %w", err)
			}
		}
	}
	return out, nil
}
