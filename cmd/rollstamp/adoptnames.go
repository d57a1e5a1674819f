package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
)

// digests returns the digests that are to be adopted: those of today, and of objects whose names are to carry digests
// those that stamps would have if the names stayed. Names that are as they were until now are left out.
func (s *subject) digests() digests {
	if s.kept == nil {
		return digestsOf(s.Plan)
	}
	all := digestsOf(s.kept)
	all.order = slices.DeleteFunc(all.order, func(of consumed) bool {
		return s.before != nil && slices.ContainsFunc(s.Renames, func(r plan.Rename) bool {
			return isObject(of.object, &r) && slices.ContainsFunc(s.before.Renames, func(old plan.Rename) bool {
				return old.Kind == r.Kind && old.Namespace == r.Namespace && old.Written == r.Written
			})
		})
	})
	return all
}

// renames reports whether the name of an object, as lines of the lock have it, is to carry a digest.
func (s *subject) renames(object string) bool {
	return slices.ContainsFunc(s.Renames, func(r plan.Rename) bool { return isObject(object, &r) })
}

// isObject reports whether lines of the lock name a renamed object so.
func isObject(id string, r *plan.Rename) bool {
	return id == r.Kind+"/"+r.Name || id == r.Kind+"/"+r.Namespace+"/"+r.Name
}

// namesThatChange returns the error that names carried digests until now and carry others, or none: no line of the lock
// can hold a name. It is of workloads that are to be adopted; without picks, of all.
func (s *subject) namesThatChange(picks []identity) error {
	if s.before == nil {
		return nil
	}
	var errs []error
	for _, old := range s.before.Renames {
		stays := slices.ContainsFunc(s.Renames, func(r plan.Rename) bool {
			return old.Kind == r.Kind && old.Namespace == r.Namespace && old.Written == r.Written
		})
		if stays || len(picks) > 0 && !s.reads(picks, &old) {
			continue
		}
		what := manifest.Describe(old.Kind, old.Namespace, old.Name)
		errs = append(errs, &diag.Error{Exit: diag.ExitUsage, Object: what, Pos: old.Position,
			Err:  fmt.Errorf("adopt: its name was %s until now, and a name that carries another digest cannot stay", old.Written),
			Hint: "What reads it restarts once. Name the workloads that are to be adopted besides: KIND/NAME.",
		})
	}
	return errors.Join(errs...)
}

// variables returns the error that digests get into environment variables, where stamps of before were elsewhere.
func (s *subject) variables() error {
	workload, name := s.FirstVariable()
	if name == "" {
		return nil
	}
	return &diag.Error{Exit: diag.ExitUsage, Object: workload, Pos: diag.Position{File: s.Path()},
		Err: fmt.Errorf("adopt --%s: its digests get into variables (%s), and stamps of before cannot stay beside them",
			fromWay, name),
		Hint: "It restarts once. Entries of workloads: in the configuration change the strategy for some at a time."}
}

// reads reports whether a picked workload reads a renamed object.
func (s *subject) reads(picks []identity, r *plan.Rename) bool {
	for i := range s.before.Workloads {
		w := &s.before.Workloads[i]
		picked := slices.ContainsFunc(picks, func(one identity) bool { return one.is(w.Kind, w.Namespace, w.Name) })
		if picked && slices.ContainsFunc(w.References, func(ref plan.Reference) bool {
			return ref.Kind == r.Kind && ref.Name == r.Name && ref.Renamed != ""
		}) {
			return true
		}
	}
	return false
}
