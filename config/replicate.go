package config

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// ReplicatedKind is a kind of object that can be printed in other namespaces.
type ReplicatedKind string

// Choices lists the values.
func (ReplicatedKind) Choices() []string {
	return []string{"ConfigMap", "Secret", "ExternalSecret", "SealedSecret"}
}

// UnmarshalText takes one of Choices.
func (k *ReplicatedKind) UnmarshalText(b []byte) error { return choose(k, string(b)) }

// ReplicateRule prints an object of one namespace in others.
type ReplicateRule struct {
	// Kind of the object; of SealedSecrets only those with cluster-wide scope.
	Kind ReplicatedKind `yaml:"kind" json:"kind" schema:"required"`
	// Name of the object.
	Name NonEmpty `yaml:"name" json:"name" schema:"required"`
	// Namespace of the object; any where absent.
	Namespace NonEmpty `yaml:"namespace,omitempty" json:"namespace,omitempty"`
	// The namespaces that get a copy.
	To NamespaceMatch `yaml:"to" json:"to" schema:"required"`
}

// NamespaceMatch selects namespaces; every field that is given must fit, and at least one is.
type NamespaceMatch struct {
	// Names, which count whether or not their Namespaces are rendered, and globs over those that are.
	Names []Glob `yaml:"names,omitempty" json:"names,omitempty"`
	// Label selector over the Namespaces of the render and the context, as in team=shop,tier in (a, b).
	Labels Selector `yaml:"labels,omitempty" json:"labels,omitzero"`
}

func (m *NamespaceMatch) check() error {
	if len(m.Names) == 0 && m.Labels.IsZero() {
		return errors.New(`an empty match would fit every namespace; write names: ["*"] if that is meant`)
	}
	for _, g := range m.Names {
		if name := string(g); !isPattern(name) && len(validation.IsDNS1123Label(name)) > 0 {
			return fmt.Errorf("no namespace can be called %q: a name has lower-case letters, digits and dashes", name)
		}
	}
	return nil
}

func isPattern(name string) bool { return strings.ContainsAny(name, `*?[\`) }

// Matches reports whether a Namespace that is rendered fits.
func (m *NamespaceMatch) Matches(name string, labels map[string]string) bool {
	if !m.Labels.Matches(labels) {
		return false
	}
	for _, g := range m.Names {
		if g.Match(name) {
			return true
		}
	}
	return len(m.Names) == 0
}

// Known returns the names that count although their Namespaces are not rendered.
func (m *NamespaceMatch) Known() (names []string) {
	for _, g := range m.Names {
		if m.Labels.IsZero() && !isPattern(string(g)) {
			names = append(names, string(g))
		}
	}
	return names
}
