package rounds

import (
	"reflect"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
)

// before is another state of the files of a source.
type before struct {
	*Source
	same func(a *app.Application, read []string) bool
}

// Reuse is app.Described's.
func (s *Source) Reuse(of app.Described, same func(a *app.Application, read []string) bool) {
	if other, ok := of.(*Source); ok {
		s.before = append(s.before, before{other, same})
	}
}

// takeOver takes the render of a member from another state of the files, and reports whether it holds here, too: the
// object is the same, it takes the same values, and what its render, and that of what is beside it, read is the same.
func (s *Source) takeOver(m *member) bool {
	for _, other := range s.before {
		then := other.byKey[m.key()]
		if then == nil || then.app == nil || !m.isDescribedAs(then) || !other.same(then.app, then.read) {
			continue
		}
		m.app, m.output, m.read, m.unchanged = then.app, then.output, then.read, true
		return true
	}
	return false
}

// failsAsBefore reports whether a member fails with the same error in another state of the files, described as it is.
func (s *Source) failsAsBefore(m *member) bool {
	for _, other := range s.before {
		then := other.byKey[m.key()]
		if then != nil && then.err != nil && m.isDescribedAs(then) && diag.IsSameFailure(then.err, m.err) {
			return true
		}
	}
	return false
}

// isDescribedAs reports whether another state of the files describes a member in the same way.
func (m *member) isDescribedAs(then *member) bool {
	return m.Same(*then.Meta) && reflect.DeepEqual(m.inputs, then.inputs)
}
