package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// ProducerRule says what objects of a custom kind make in the cluster. Paths begin at the object's root, as those
// of a kind's rule.
type ProducerRule struct {
	// API group of the kind, "" for the core group; its versions do not matter.
	Group string `yaml:"group,omitempty" json:"group,omitempty"`
	// The kind, as manifests spell it.
	Kind NonEmpty `yaml:"kind" json:"kind" schema:"required"`
	// The kind that is made; Secret where absent.
	Makes ContentKind `yaml:"makes,omitempty" json:"makes,omitempty"`
	// Name of what is made: a path whose text it is, or text with paths in braces, such as {metadata.name}-app; the
	// object's own name where absent, or where a path without braces leads to nothing, unless it is that of an
	// annotation or label.
	Name NameTemplate `yaml:"name,omitempty" json:"name,omitzero"`
	// Path of the namespace of what is made; the object's own where absent, or where nothing is there.
	Namespace Path `yaml:"namespace,omitempty" json:"namespace,omitzero"`
	// Paths of what shapes the content; spec where neither this nor keys is given.
	Content []Path `yaml:"content,omitempty" json:"content,omitempty"`
	// Where the object lists the keys of what is made.
	Keys *KeysRule `yaml:"keys,omitempty" json:"keys,omitempty"`
	// Paths of what does not shape the content, though it lies in a place that does.
	Omit []Path `yaml:"omit,omitempty" json:"omit,omitempty"`
	// Values that the API fills in, by their paths: such a value counts as not written.
	Defaults map[string]Scalar `yaml:"defaults,omitempty" json:"defaults,omitempty"`
	// Paths of lists whose order does not matter.
	Sets []Path `yaml:"sets,omitempty" json:"sets,omitempty"`
	// How what is made joins an object of its name in the input: ignore takes that one alone, overlay lays keys over
	// it, fill does so and drops its empty values, replace takes none of its keys; ignore where absent.
	Merge MergeStrategy `yaml:"merge,omitempty" json:"merge,omitempty"`
}

// KeysRule describes the keys of what a custom kind makes.
type KeysRule struct {
	// Path of the places that make a key each, such as spec.entries[*].
	Path Path `yaml:"path" json:"path" schema:"required"`
	// Path of the key, from such a place.
	Key Path `yaml:"key" json:"key" schema:"required"`
	// Paths of what shapes the value, from such a place; all of it where absent.
	Content []Path `yaml:"content,omitempty" json:"content,omitempty"`
}

// MergeStrategy says how what a producer makes joins a ConfigMap or Secret of that name in the input.
type MergeStrategy string

// The strategies.
const (
	MergeIgnore  MergeStrategy = "ignore"  // not at all: the one in the input counts
	MergeOverlay MergeStrategy = "overlay" // its keys are laid over those in the input
	MergeFill    MergeStrategy = "fill"    // the same, and what is empty in the input is as if it were not there
	MergeReplace MergeStrategy = "replace" // its keys take the place of all in the input
)

// Choices returns the strategies.
func (MergeStrategy) Choices() []string {
	return []string{string(MergeIgnore), string(MergeOverlay), string(MergeFill), string(MergeReplace)}
}

// UnmarshalText takes one of Choices.
func (m *MergeStrategy) UnmarshalText(b []byte) error { return choose(m, string(b)) }

// Scalar is a value as YAML types it.
type Scalar struct {
	Text string
	Tag  string // !!str, !!int, !!float or !!bool
}

func (s *Scalar) fromNode(n *yaml.Node) error {
	s.Text, s.Tag = n.Value, n.ShortTag()
	if n.Kind != yaml.ScalarNode || !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool"}, s.Tag) {
		return errors.New("want a string, a number or a boolean")
	}
	return nil
}

// MarshalJSON returns the value with its type.
func (s Scalar) MarshalJSON() ([]byte, error) {
	if s.Tag == "!!str" || !json.Valid([]byte(s.Text)) {
		return json.Marshal(s.Text)
	}
	return []byte(s.Text), nil
}

// MarshalYAML returns the value with its type.
func (s Scalar) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: s.Tag, Value: s.Text}, nil
}

func (p *ProducerRule) defaults() { p.Makes, p.Merge = Secret, MergeIgnore }

func (p *ProducerRule) check() error {
	if p.Keys != nil && (p.Keys.Path.IsZero() || p.Keys.Key.IsZero()) {
		return errors.New("keys needs path and key")
	}
	left := slices.Concat(p.Omit, p.Sets)
	for path := range p.Defaults {
		parsed, err := ParsePath(path)
		if err != nil {
			return fmt.Errorf("defaults: %w", err)
		}
		left = append(left, parsed)
	}
	for _, path := range left {
		if path.isQuoted() {
			return fmt.Errorf("path %q: omit, defaults and sets take no field in quotes; take the map that it lies in", path)
		}
	}
	return checkGroup(p.Group)
}
