package config

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
)

// Selector is a label selector in the syntax of Kubernetes: requirements with commas between them, which must all
// hold. The zero value matches everything.
type Selector struct {
	text   string
	parsed labels.Selector // nil matches everything
}

// ParseSelector parses a label selector: key, !key, key=value, key==value, key!=value, key in (a,b), key notin (a,b),
// and as Kubernetes has them key>1 and key<1. Other than in Kubernetes, one without any requirement is an error.
func ParseSelector(text string) (Selector, error) {
	parsed, err := labels.Parse(text)
	if err == nil && parsed.Empty() {
		err = errors.New("it requires nothing")
	}
	if err != nil {
		return Selector{}, fmt.Errorf("label selector %q: %w", text, err)
	}
	return Selector{text, parsed}, nil
}

// IsZero reports whether the selector selects nothing in particular.
func (s Selector) IsZero() bool { return s.text == "" }

// String returns the selector as written.
func (s Selector) String() string { return s.text }

// Requirements returns what the selector requires; all of it must hold.
func (s Selector) Requirements() labels.Requirements {
	if s.parsed == nil {
		return nil
	}
	all, _ := s.parsed.Requirements()
	return all
}

// MarshalText returns the selector as written.
func (s Selector) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// UnmarshalText parses a selector; see ParseSelector.
func (s *Selector) UnmarshalText(b []byte) error {
	parsed, err := ParseSelector(string(b))
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}

// Matches reports whether labels fulfil every requirement.
func (s Selector) Matches(set map[string]string) bool {
	return s.parsed == nil || s.parsed.Matches(labels.Set(set))
}
