package config

import (
	"errors"
	"strings"
)

// Match selects objects; every field that is given must fit, and at least one is.
type Match struct {
	// Kind, in any case of its letters.
	Kind NonEmpty `yaml:"kind,omitempty" json:"kind,omitempty"`
	// Glob of the name.
	Name Glob `yaml:"name,omitempty" json:"name,omitempty"`
	// Glob of the namespace; a namespace that the render does not know is the empty string, which only * fits.
	Namespace Glob `yaml:"namespace,omitempty" json:"namespace,omitempty"`
	// Label selector in the syntax of Kubernetes, as in app=web,tier in (a, b),!canary.
	Labels Selector `yaml:"labels,omitempty" json:"labels,omitzero"`
}

func (m *Match) check() error {
	if m.Kind == "" && m.Name == "" && m.Namespace == "" && m.Labels.IsZero() {
		return errors.New(`an empty match would fit everything; write name: "*" if that is meant`)
	}
	return nil
}

// Matches reports whether an object fits. Namespace is "" where it is not known.
func (m Match) Matches(kind, namespace, name string, labels map[string]string) bool {
	return (m.Kind == "" || strings.EqualFold(string(m.Kind), kind)) &&
		(m.Name == "" || m.Name.Match(name)) &&
		(m.Namespace == "" || m.Namespace.Match(namespace)) &&
		m.Labels.Matches(labels)
}

// ContentMatch selects ConfigMaps and Secrets, as Match selects objects.
type ContentMatch struct {
	// ConfigMap or Secret; both where absent.
	Kind ContentKind `yaml:"kind,omitempty" json:"kind,omitempty"`
	// Glob of the name.
	Name Glob `yaml:"name,omitempty" json:"name,omitempty"`
	// Glob of the namespace; a namespace that the render does not know is the empty string, which only * fits.
	Namespace Glob `yaml:"namespace,omitempty" json:"namespace,omitempty"`
	// Label selector in the syntax of Kubernetes, as in app=web,tier in (a, b),!canary.
	Labels Selector `yaml:"labels,omitempty" json:"labels,omitzero"`
}

func (m *ContentMatch) match() *Match {
	return &Match{NonEmpty(m.Kind), m.Name, m.Namespace, m.Labels}
}

func (m *ContentMatch) check() error { return m.match().check() }

// Matches reports whether a ConfigMap or Secret fits. Namespace is "" where it is not known.
func (m ContentMatch) Matches(kind, namespace, name string, labels map[string]string) bool {
	return m.match().Matches(kind, namespace, name, labels)
}
