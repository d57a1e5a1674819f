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
	return once("kinds", s.Kinds.Value, func(k KindRule) string {
		return fmt.Sprintf("kind %s of group %q", k.Kind, k.Group)
	})
}

// checkProducers refuses a second rule for what makes something of one name.
func (s *Settings) checkProducers() error {
	return once("producers", s.Producers.Value, func(p ProducerRule) string {
		what := fmt.Sprintf("kind %s of group %q", p.Kind, p.Group)
		if !p.Name.IsZero() {
			what += fmt.Sprintf(" that makes a %s of the name %s", p.Makes, p.Name)
		}
		return what
	})
}

// once returns a mistake where two rules of a field are for the same.
func once[T any](field string, rules []T, describe func(T) string) error {
	seen := map[string]bool{}
	for i, rule := range rules {
		what := describe(rule)
		if seen[what] {
			return &mistake{fmt.Sprintf("%s[%d]", field, i), fmt.Errorf("there is a rule for %s already", what)}
		}
		seen[what] = true
	}
	return nil
}
