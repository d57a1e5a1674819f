package lock

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/sources"
)

var _ sources.Outside = (*File)(nil)

// Resolve gives what the lock holds, without asking anybody. A reference that pins its version needs no line.
func (f *File) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, error) {
	answers := make([]sources.Answer, len(refs))
	var errs []error
	for i, ref := range refs {
		answer, _, ok := f.Get(ref)
		if version, pinned := sources.Pinned(ref); !ok && pinned {
			answer, ok = sources.Answer{Version: version}, true
		}
		if !ok {
			failure := sources.Fail(sources.NotLocked, "")
			failure.Ref = ref
			err := failure.Diag()
			err.Pos.File = f.path
			errs = append(errs, err)
		}
		answers[i] = answer
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return answers, nil
}
