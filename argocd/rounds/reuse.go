package rounds

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/diag"
)

// takeOver returns what was found of a source in another state of the files, and whether it holds here, too: the source
// is described in the same way, and what its render read is the same. What failed there is looked for again, and is
// unchanged where all that is known of it is.
func (s *Source) takeOver(p pending, part apps.Part) (found, bool) {
	for _, other := range s.before {
		for _, m := range other.sources[p.name] {
			then := m.found
			switch {
			case then.part.Call == nil || then.part.Number != part.Number:
			case (then.part.Assumed || part.Assumed) && then.part.Call.TargetRevision != part.Call.TargetRevision:
				return found{part: part, err: p.Fail(
					fmt.Errorf("its targetRevision changes from %q to %q, of which one is not in this repository",
						part.Call.TargetRevision, then.part.Call.TargetRevision), "Fetch both, then compare again.")}, true
			case then.app == nil || !m.of.Same(p.Application) || !alike(then, part) || !other.same(then.app, then.read):
			case then.err != nil:
				return found{unchanged: true}, false
			default:
				then.unchanged = true
				return then, true
			}
		}
	}
	return found{}, false
}

// failsAsDescribed reports whether an Application whose sources are not known is described as it is in another state of
// the files, and fails there, too.
func (s *Source) failsAsDescribed(p pending) bool {
	return slices.ContainsFunc(s.before, func(other before) bool {
		return slices.ContainsFunc(other.sources[p.name], func(m *member) bool {
			return m.err != nil && m.of.Same(p.Application)
		})
	})
}

// failsAsBefore reports whether an object fails with the same error in another state of the files, where it is the
// same: an ApplicationSet, or what cannot be read as one or as an Application.
func (s *Source) failsAsBefore(name string, err error) bool {
	var unread *appset.ObjectError
	if errors.As(err, &unread) {
		return slices.ContainsFunc(s.before, func(other before) bool {
			var then *appset.ObjectError
			m := other.found[name]
			return m != nil && errors.As(m.err, &then) && then.Same(unread)
		})
	}
	set := s.sets[name]
	return set != nil && slices.ContainsFunc(s.before, func(other before) bool {
		then, m := other.sets[name], other.found[name]
		return then != nil && m != nil && m.err != nil && then.Same(set) && diag.IsSameFailure(m.err, err)
	})
}

// isRepeatedAsBefore reports whether an Application that is one too many of its name was that in another state of the
// files, at the same place.
func (s *Source) isRepeatedAsBefore(name string, a *apps.Application) bool {
	return slices.ContainsFunc(s.before, func(other before) bool {
		m := other.found[name]
		return m != nil && m.err != nil && m.of != nil && m.of.Same(a)
	})
}

// alike reports whether a source is called as it was in another state of the files. The commit of a work tree's files
// counts only where options name it.
func alike(then found, part apps.Part) bool {
	a, b := *then.part.Call, *part.Call
	if part.Work && !namesCommit(b.Source) && !namesCommit(then.app.Settings().ArgoCD()) {
		a.Build, b.Build = withoutCommit(a.Build), withoutCommit(b.Build)
	}
	a.Files, b.Files = nil, nil
	return then.part.Plugin == part.Plugin && then.part.Work == part.Work && reflect.DeepEqual(a, b)
}

// commitVariable is in the names of the variables that hold a commit.
const commitVariable = "_APP_REVISION"

// namesCommit reports whether options have a variable for the commit that is rendered.
func namesCommit(options any) bool {
	text, err := json.Marshal(options)
	return err != nil || strings.Contains(string(text), commitVariable)
}

// withoutCommit returns a build without the commit of its files.
func withoutCommit(b argocd.Build) argocd.Build {
	b.Revision = ""
	env := map[string]string{}
	for name, value := range b.Env {
		if !strings.Contains(name, commitVariable) {
			env[name] = value
		}
	}
	b.Env = env
	return b
}
