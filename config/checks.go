package config

import (
	"fmt"
	"maps"
	"slices"
)

// mistake is what a check finds in a field below the value that it looks at.
type mistake struct {
	field string
	err   error
}

func (m *mistake) Error() string { return m.field + ": " + m.err.Error() }

// checkSeverities refuses codes and severities that there are not.
func (s *Settings) checkSeverities() error {
	for _, code := range slices.Sorted(maps.Keys(s.Severities.Value)) {
		if err := CheckSeverity(code, s.Severities.Value[code]); err != nil {
			return &mistake{"severities", err}
		}
	}
	return nil
}

// checkKinds refuses a second rule for a kind: which of the two counts would be a guess.
func (s *Settings) checkKinds() error {
	return once("kinds", s.Kinds.Value, func(k KindRule) (string, NonEmpty) { return k.Group, k.Kind })
}

// checkProducers refuses a second rule for what makes something.
func (s *Settings) checkProducers() error {
	return once("producers", s.Producers.Value, func(p ProducerRule) (string, NonEmpty) { return p.Group, p.Kind })
}

// once returns a mistake where two rules of a field are for one kind.
func once[T any](field string, rules []T, of func(T) (group string, kind NonEmpty)) error {
	type id struct {
		group string
		kind  NonEmpty
	}
	seen := map[id]bool{}
	for i, rule := range rules {
		group, kind := of(rule)
		if seen[id{group, kind}] {
			err := fmt.Errorf("there is a rule for kind %s of group %q already", kind, group)
			return &mistake{fmt.Sprintf("%s[%d]", field, i), err}
		}
		seen[id{group, kind}] = true
	}
	return nil
}
