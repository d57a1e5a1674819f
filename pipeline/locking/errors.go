package locking

import (
	"context"
	"errors"
	"slices"

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
		own = unasked(m, ofStores)
	}
	_, located := run(ctx, m.Application, failing{errors.Join(own...)})
	return located
}

// unasked returns the errors of stores that were given up, or may not be asked: of each there is one, about a reference
// that may be another application's, and it is returned for the first of the application's own.
func unasked(m *member, errs []error) (own []error) {
	chosen := map[string]*sources.Failure{}
	for _, one := range errs {
		var f *sources.Failure
		if !errors.As(one, &f) {
			continue
		}
		store := f.Ref.Store.String()
		if chosen[store] == nil || f.Class == sources.GivenUp {
			chosen[store] = f
		}
	}
	for _, ref := range m.refs {
		store := ref.Store.String()
		if chosen[store] == nil {
			continue
		}
		f := *chosen[store]
		if f.Ref = ref; f.Class == sources.GivenUp {
			f.Status = "" // which counts others
		}
		own, chosen[store] = append(own, f.Diag()), nil
	}
	return own
}

// withOwnRef returns an error with a reference that is asked for by the application itself, where it says that stores
// may not be asked at all.
func withOwnRef(m *member, asked map[string]bool, err error) error {
	i := slices.IndexFunc(m.refs, func(ref sources.Ref) bool { return asked[ref.ID()] })
	return diag.MapErrors(err, func(one error) error {
		var known *diag.Error
		var refused *sources.NotAllowedError
		if i < 0 || !errors.As(one, &known) || !errors.As(one, &refused) {
			return one
		}
		own := *known
		own.Err = &sources.NotAllowedError{Ref: m.refs[i], By: refused.By}
		return &own
	})
}

// failing answers nothing.
type failing struct{ err error }

// Resolve is sources.VersionResolver's.
func (f failing) Resolve(context.Context, []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	return nil, nil, f.err
}
