package locking

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// locateError returns the errors about references with the objects that refer there, as the applications know them.
func locateError(ctx context.Context, group []member, err error) error {
	all := diag.Unjoin(err)
	var out []error
	for _, a := range group {
		refs := map[string]bool{}
		for _, ref := range a.refs {
			refs[ref.ID()] = true
		}
		var matching, rest []error
		for _, one := range all {
			var f *sources.Failure
			if errors.As(one, &f) && refs[f.Ref.ID()] {
				matching = append(matching, one)
			} else {
				rest = append(rest, one)
			}
		}
		if all = rest; len(matching) > 0 {
			_, err := run(ctx, a.Application, failing{errors.Join(matching...)})
			out = append(out, err)
		}
	}
	return errors.Join(append(out, all...)...)
}

// failing answers nothing.
type failing struct{ err error }

// Resolve is sources.VersionResolver's.
func (f failing) Resolve(context.Context, []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	return nil, nil, f.err
}
