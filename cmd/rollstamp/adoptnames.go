package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
)

// digests returns the digests that are to be adopted: those of today, and of objects whose names are to carry digests
// those that stamps would have if the names stayed. Names that are as they were until now are left out.
func (s *subject) digests() digests {
	of := digestsOf
	if s.before == nil {
		of = stampDigestsOf // no variable is there yet
	}
	if s.kept == nil {
		return of(s.Plan)
	}
	until := namesIn(s.before)
	stay := idsOf(s.Plan, func(r *plan.Rename) bool { return until[nameOf(r)] })
	all := of(s.kept)
	all.order = slices.DeleteFunc(all.order, func(of consumed) bool { return stay[of.object] })
	return all
}

// renamed returns the objects whose names are to carry digests, as lines of the lock have them.
func (s *subject) renamed() map[string]bool {
	return idsOf(s.Plan, func(*plan.Rename) bool { return true })
}

// idsOf returns both ways in which lines of the lock may name each renamed object of a plan that is chosen.
func idsOf(p *plan.Plan, chosen func(*plan.Rename) bool) map[string]bool {
	out := map[string]bool{}
	for i := range p.Renames {
		if r := &p.Renames[i]; chosen(r) {
			out[r.Kind+"/"+r.Name] = true
			out[r.Kind+"/"+r.Namespace+"/"+r.Name] = true
		}
	}
	return out
}

// carrier is an object by a name that carries a digest.
type carrier struct{ kind, namespace, name string }

func nameOf(r *plan.Rename) carrier { return carrier{r.Kind, r.Namespace, r.Written} }

// namesIn returns the names of a plan that carry digests; none of nil.
func namesIn(p *plan.Plan) map[carrier]bool {
	out := map[carrier]bool{}
	if p == nil {
		return out
	}
	for i := range p.Renames {
		out[nameOf(&p.Renames[i])] = true
	}
	return out
}

// namesThatChange returns the error that names carried digests until now and carry others, or none: no line of the lock
// can hold a name. It is of workloads that are to be adopted; without picks, of all.
func (s *subject) namesThatChange(picks []identity) error {
	if s.before == nil {
		return nil
	}
	var errs []error
	names := namesIn(s.Plan)
	for i := range s.before.Renames {
		old := &s.before.Renames[i]
		if names[nameOf(old)] || len(picks) > 0 && !s.reads(picks, old) {
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

// stampsThatGo returns the error that nothing is written any more where stamps were until now, or none: into a
// workload, or for what rolls by its name under the strategy of today. Picks are as of namesThatChange.
func (s *subject) stampsThatGo(picks []identity) error {
	stamped := stampDigestsOf(s.before)
	written := map[string]bool{} // by workload
	for _, at := range s.Places {
		if at.Workload >= 0 && at.Way != 0 {
			w := &s.Workloads[at.Workload]
			written[policy.WorkloadID(w.Kind, w.Namespace, w.Name)] = true
		}
	}
	var errs []error
	for i := range s.Workloads {
		w := &s.Workloads[i]
		byName := slices.IndexFunc(w.References, func(r plan.Reference) bool {
			return stamped.has(w, &r) && r.Digest == "" && r.Renamed == ""
		})
		isStamped := slices.ContainsFunc(w.References, func(r plan.Reference) bool { return stamped.has(w, &r) })
		switch {
		case !isPicked(picks, w):
		case byName >= 0:
			errs = append(errs, rollsByName(w, &w.References[byName]))
		case isStamped && !written[policy.WorkloadID(w.Kind, w.Namespace, w.Name)]:
			errs = append(errs, stampGoes(w, "nothing is written into it, so its stamps of before go"))
		}
	}
	return errors.Join(errs...)
}

// rollsByName returns the error that nothing is written for what a workload reads.
func rollsByName(w *plan.Workload, r *plan.Reference) error {
	return stampGoes(w, manifest.Describe(r.Kind, r.Namespace, r.Name)+
		" restarts it by its name and nothing is written for that, so its stamp of before goes")
}

func stampGoes(w *plan.Workload, why string) error {
	return &diag.Error{Exit: diag.ExitUsage, Object: manifest.Describe(w.Kind, w.Namespace, w.Name), Pos: w.Position,
		Err: fmt.Errorf("adopt --%s: today %s", fromWay, why),
		Hint: "It restarts once. Give it the strategy of before in an entry of workloads: in the configuration, or name the " +
			"workloads that are to be adopted besides: KIND/NAME."}
}

// sameAsBefore returns the error that the strategy of before writes what is written today, so that there is nothing to
// adopt; none where nothing is written at all.
func sameAsBefore(all []subject) error {
	var stamped *subject
	for i := range all {
		for range adoptedLines(&all[i]) {
			return nil
		}
		if stamped == nil && len(all[i].Stamps) > 0 {
			stamped = &all[i]
		}
	}
	if stamped == nil {
		return nil
	}
	return &diag.Error{Exit: diag.ExitUsage, Pos: diag.Position{File: stamped.Path()},
		Err:  fmt.Errorf("adopt --%s: with that strategy the same is written as today, so there is nothing to adopt", fromWay),
		Hint: "Adopt in the commit that changes strategy: or combined:, and say how it was until then."}
}

// combined returns the error that a workload has one digest for all that it reads, now or until now, and single ones
// of them were made with another hash key or in another domain, or none: lines of the lock hold single digests, and the
// one for all is made of them with the key. Picks are as of namesThatChange.
func (s *subject) combined(picks []identity) error {
	now, together := map[readBy]string{}, combinedDigests(s.before)
	eachReference(s.Plan, func(by readBy, _ *plan.Workload, r *plan.Reference) { now[by] = r.Digest })
	maps.Copy(together, combinedDigests(s.Plan))
	var err error
	eachReference(s.before, func(by readBy, w *plan.Workload, r *plan.Reference) {
		_, is := together[by]
		other := now[by]
		keyed := hashing.IsKeyed(other) || hashing.IsKeyed(r.Digest)
		if err != nil || !is || other == r.Digest || !keyed || !isPicked(picks, w) {
			return
		}
		err = &diag.Error{Exit: diag.ExitUsage, Object: manifest.Describe(w.Kind, w.Namespace, w.Name), Pos: w.Position,
			Err: errors.New("adopt: combined: true has one digest for all that it reads, and none that is made with " +
				"another hash key can stay"),
			Hint: "It restarts once. Name the workloads that are to be adopted besides: KIND/NAME."}
	})
	return err
}

// eachReference calls visit for what each workload of a plan reads.
func eachReference(p *plan.Plan, visit func(readBy, *plan.Workload, *plan.Reference)) {
	for i := range p.Workloads {
		w := &p.Workloads[i]
		for k := range w.References {
			r := &w.References[k]
			visit(readBy{w.Kind, w.Namespace, w.Name, r.Kind, r.Namespace, r.Name}, w, r)
		}
	}
}

// isPicked reports whether a workload is meant; without picks, each is.
func isPicked(picks []identity, w *plan.Workload) bool {
	meant := func(one identity) bool { return one.is(w.Kind, w.Namespace, w.Name) }
	return len(picks) == 0 || slices.ContainsFunc(picks, meant)
}

// readBy is a workload and an object that it reads.
type readBy struct{ kind, namespace, name, ofKind, ofNamespace, ofName string }

// combinedDigests returns the digests of a plan that are parts of one for all that a workload reads.
func combinedDigests(p *plan.Plan) map[readBy]string {
	out := map[readBy]string{}
	eachReference(p, func(by readBy, _ *plan.Workload, r *plan.Reference) {
		if r.Annotation == p.Prefix.Combined() || r.Variable == hashing.CombinedVariable {
			out[by] = r.Digest
		}
	})
	return out
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
