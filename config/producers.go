package config

import "errors"

// ProducerRule reports what objects of a custom kind make in the cluster. Paths begin at the object's root, as those
// of a kind's rule.
type ProducerRule struct {
	// API group of the kind, "" for the core group; its versions do not matter.
	Group string `yaml:"group,omitempty" json:"group,omitempty"`
	// The kind, as manifests spell it.
	Kind NonEmpty `yaml:"kind" json:"kind" schema:"required"`
	// The kind that is made; Secret where absent.
	Makes ContentKind `yaml:"makes,omitempty" json:"makes,omitempty"`
	// Path of the name of what is made; the object's own name where absent, or where nothing is there.
	Name Path `yaml:"name,omitempty" json:"name,omitzero"`
	// Path of the namespace of what is made; the object's own where absent, or where nothing is there.
	Namespace Path `yaml:"namespace,omitempty" json:"namespace,omitzero"`
	// Paths of what shapes the content; spec where neither this nor keys is given.
	Content []Path `yaml:"content,omitempty" json:"content,omitempty"`
	// Where the object lists the keys of what is made.
	Keys *KeysRule `yaml:"keys,omitempty" json:"keys,omitempty"`
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

func (p *ProducerRule) defaults() { p.Makes = Secret }

func (p *ProducerRule) check() error {
	if p.Keys != nil && (p.Keys.Path.IsZero() || p.Keys.Key.IsZero()) {
		return errors.New("keys needs path and key")
	}
	return checkGroup(p.Group)
}
