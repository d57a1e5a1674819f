package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
)

// refusal is why the stamps of a member stay as they are.
type refusal struct {
	of  *fluxMember
	err error // nil where it is not reported, as nothing that is stamped depends on it
}

// write returns the files that are to be written, in which each stamp is proven to reach its workload. Members whose
// stamps have no place, cannot be written or do not reach their workloads are kept: theirs stay as they are, wherever
// these are, and the others are placed and proven again without them. Kept is the error of those. Where unknown is an
// error, nothing may be written.
func (r *fluxRun) write(ctx context.Context) (proven []*fluxFile, kept, unknown error) {
	var errs []error
	for {
		changed, refused, err := r.attempt(ctx)
		if err != nil || len(refused) == 0 {
			isDoubted := func(f *fluxFile) bool { return !f.isChanged() }
			return slices.DeleteFunc(changed, isDoubted), errors.Join(errs...), err
		}
		for _, one := range refused {
			one.of.isKept = true
			errs = appendNew(errs, one.err)
		}
	}
}

// appendNew adds an error unless it is nil or one that is there: several members may fail of what applies them.
func appendNew(errs []error, err error) []error {
	if err == nil || slices.ContainsFunc(errs, func(have error) bool { return have.Error() == err.Error() }) {
		return errs
	}
	return append(errs, err)
}

// maxTries is how often stamps that do not reach their workloads are written in another place: an object, what applies
// it, and what applies that.
const maxTries = 2

// attempt returns the files that change where all but the kept members get their stamps, or which further ones cannot.
// Names are looked up as they are written only where a patch does not find its workload without that: it means reading
// files again. Others that have no effect go into what applies the object, which may replace its patches.
func (r *fluxRun) attempt(ctx context.Context) (changed []*fluxFile, refused []refusal, err error) {
	for _, m := range r.members {
		m.isLost = false
	}
	for tries := 0; ; tries++ {
		if changed, refused = r.changedFiles(ctx); len(refused) > 0 {
			return nil, refused, ctx.Err()
		}
		refused, err = r.prove(ctx, changed)
		if err != nil || tries == maxTries || !r.moveUp(ctx, refused, tries == 0) {
			return changed, refused, err
		}
	}
}

// moveUp has stamps that do not reach their workloads written in another way, and reports whether any are: by the names
// in the files, the first time, else into what applies the object whose patches have them.
func (r *fluxRun) moveUp(ctx context.Context, lost []refusal, isFirst bool) (moved bool) {
	for _, one := range lost {
		if isFirst && one.of.nameAsWritten(ctx) {
			moved = true
			continue
		}
		one.of.holder.isLost = true
		moved = moved || r.parentOf(one.of.holder) != nil
	}
	return moved
}

// ofScope returns a refusal, with an error only where one of the members that it is about is stamped.
func (r *fluxRun) ofScope(m *fluxMember, err error, about ...*fluxMember) refusal {
	if r.takes(m) || slices.ContainsFunc(about, r.takes) {
		return refusal{m, err}
	}
	return refusal{of: m}
}

// refuse returns who is kept where a place cannot be written: the object itself, or else what has its stamps there.
func (r *fluxRun) refuse(place *fluxPlace, err error) (out []refusal) {
	if !place.at.isKept {
		return []refusal{r.ofScope(place.at, err, place.of...)}
	}
	for _, m := range place.of {
		if m != place.at {
			err := fmt.Errorf("its stamps belong into the patches of %s, and that fails", place.at.wanted)
			out = append(out, refusal{m, m.wanted.Fail(&diag.Shared{Err: err}, "Mend that first.")})
		}
	}
	return out
}
