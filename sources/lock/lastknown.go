package lock

import (
	"context"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// LastKnown asks the stores, and takes from the lock what could not be looked up.
type LastKnown struct {
	Stores sources.VersionResolver
	Place  config.Place // that the lock is in force at
	Key    string       // the run's hash key, by which locks distinguish keys; "" is none
	// Merging takes a lock, too, that is to be written again, such as one in conflict; but no line that is in conflict.
	Merging bool
}

var _ sources.VersionResolver = LastKnown{}

// Resolve returns what the stores say, or else the lock, and reports what was taken from that. What is wrong with how
// we ask is an error still, and so is what neither knows: then the answers are those of the stores alone.
func (l LastKnown) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	answers, found, err := l.Stores.Resolve(ctx, refs)
	if err == nil || !replaceable(err) {
		return answers, found, err
	}
	file, bad := l.read()
	if bad != nil || file == nil || len(answers) != len(refs) {
		return answers, nil, errors.Join(err, bad)
	}
	asked := answers
	answers = slices.Clone(answers)
	why := reasons(err)
	for i, ref := range refs {
		if answers[i].Version != "" || answers[i].Digest != "" {
			continue
		}
		failed := why(ref)
		known, name, ok := file.Get(ref)
		if !ok || file.unresolved[name] != 0 || !failed.LockMayAnswer() {
			return asked, nil, err
		}
		if ofAnother(known, l.Key) { // its digest would move the stamp, and the value has not changed
			return asked, nil, errors.Join(err, otherKey(ref, file.Position(name), 0))
		}
		answers[i] = known
		f := diag.New(diag.LastKnown, "", failed.Error()+"; the lock's "+file.Text(name)+" is taken")
		found = append(found, f.At(file.Position(name)))
	}
	return answers, found, nil
}

// read returns the lock that answers; nil where there is none.
func (l LastKnown) read() (*File, error) {
	if l.Merging {
		return NearestToWrite(l.Place)
	}
	return Nearest(l.Place)
}

// replaceable reports whether all that went wrong is of the kind that the lock stands in for.
func replaceable(err error) bool {
	return !slices.ContainsFunc(diag.Unjoin(err), func(one error) bool {
		var f *sources.Failure
		return !errors.As(one, &f) || !f.LockMayAnswer()
	})
}

// reasons returns a function that returns why a reference has no answer: of those that an error stands for, too.
func reasons(err error) func(sources.Ref) *sources.Failure {
	failures := map[string]*sources.Failure{}
	lacking := map[string]bool{} // stores that there are no credentials for, which is reported once for each
	for _, one := range diag.Unjoin(err) {
		var f *sources.Failure
		if errors.As(one, &f) {
			failures[f.Ref.ID()] = f
			if f.Class == sources.NoIdentity {
				lacking[f.Ref.Store.String()] = true
			}
		}
	}
	return func(ref sources.Ref) *sources.Failure {
		f := sources.Fail(sources.GivenUp, "")
		if lacking[ref.Store.String()] {
			f.Class = sources.NoIdentity
		} else if known := failures[ref.ID()]; known != nil && known.Class != sources.GivenUp { // whose status counts others
			*f = *known
		}
		f.Ref = ref
		return f
	}
}
