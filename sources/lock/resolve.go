package lock

import (
	"context"
	"errors"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

var _ sources.VersionResolver = (*File)(nil)

// Resolve returns what the lock holds, without asking anybody. A reference that pins its version needs no line.
func (f *File) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	answers, err := f.resolve(refs, false)
	return answers, nil, err
}

// resolve returns what the lock holds. With byManifest what it lacks counts by its manifest, and is no error.
func (f *File) resolve(refs []sources.Ref, byManifest bool) ([]sources.Answer, error) {
	answers := make([]sources.Answer, len(refs))
	apart := f.apart()
	var errs []error
	for i, ref := range refs {
		if i > 0 && !apart && refs[i-1].SameKey(&ref) && answers[i-1] != (sources.Answer{}) {
			answers[i] = answers[i-1] // sorted, so the properties of a key stand side by side
			continue
		}
		answer, _, ok := f.Get(ref)
		if version, pinned := sources.PinnedVersion(ref); !ok && pinned {
			answer, ok = sources.Answer{Version: version}, true
		}
		if !ok {
			failure := sources.Fail(sources.NotLocked, "")
			all := f.Namesakes(ref)
			if byManifest && len(all) <= 1 {
				answers[i].ByManifest = true
				continue
			}
			if len(all) > 1 {
				failure = sources.Fail(sources.Ambiguous, strings.Join(all, ", "))
			}
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

// apart reports whether the lock says something of a property that it does not say of all of the key.
func (f *File) apart() bool {
	for name := range f.entries {
		if strings.Contains(name, "#") {
			return true
		}
	}
	return false
}
