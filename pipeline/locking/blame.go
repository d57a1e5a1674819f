package locking

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// blamed returns each error the object that refers there, which the application knows that it lies in.
func locateError(ctx context.Context, group []*App, err error) error {
	all := diag.Unjoin(err)
	var out []error
	for _, a := range group {
		own := map[string]bool{}
		for _, ref := range a.refs {
			own[ref.ID()] = true
		}
		var its, rest []error
		for _, one := range all {
			var f *sources.Failure
			if errors.As(one, &f) && own[f.Ref.ID()] {
				its = append(its, one)
			} else {
				rest = append(rest, one)
			}
		}
		if all = rest; len(its) > 0 {
			_, err := a.plan(ctx, failing{errors.Join(its...)})
			out = append(out, err)
		}
	}
	return errors.Join(append(out, all...)...)
}

// failing answers nothing.
type failing struct{ err error }

// Resolve is sources.VersionResolver's.
func (f failing) Resolve(context.Context, []sources.Ref) ([]sources.Answer, error) { return nil, f.err }
