package locking

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// locate returns, of the errors about references, those that concern an application, with the objects that refer there
// as it knows them.
func locate(ctx context.Context, m *member, err error) error {
	refs, stores := map[string]bool{}, map[string]bool{}
	for _, ref := range m.refs {
		refs[ref.ID()], stores[ref.Store.String()] = true, true
	}
	var own, ofStores []error
	for _, one := range diag.Unjoin(err) {
		var f *sources.Failure
		switch {
		case !errors.As(one, &f) || refs[f.Ref.ID()]:
			own = append(own, one)
		case stores[f.Ref.Store.String()]:
			ofStores = append(ofStores, one)
		}
	}
	if len(own) == 0 {
		own = ofStores // of a store that was given up, or may not be asked, one error is all that there is
	}
	_, located := run(ctx, m.Application, failing{errors.Join(own...)})
	return located
}

// failing answers nothing.
type failing struct{ err error }

// Resolve is sources.VersionResolver's.
func (f failing) Resolve(context.Context, []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	return nil, nil, f.err
}
