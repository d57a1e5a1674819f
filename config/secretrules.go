package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/sources"
)

// SecretRule sets the policy for what comes from some stores, or for what some objects fetch.
type SecretRule struct {
	// Which stores or objects the entry is for.
	Match SecretMatch `yaml:"match" json:"match" schema:"required"`
	// As secrets.policy. spec holds whatever --secrets says, and nobody is asked for what it is for.
	Policy SecretPolicy `yaml:"policy" json:"policy" schema:"required"`
}

// SecretMatch selects stores, and objects that fetch from them; every field that is given must fit, and at least one
// is.
type SecretMatch struct {
	// SecretStore, ClusterSecretStore, or what plays its part, in any case of its letters.
	Kind NonEmpty `yaml:"kind,omitempty" json:"kind,omitempty"`
	// Glob of the store's name.
	Name Glob `yaml:"name,omitempty" json:"name,omitempty"`
	// Glob of the store's namespace.
	Namespace Glob `yaml:"namespace,omitempty" json:"namespace,omitempty"`
	// What the store is, as its object names it: vault, onepassword, aws-sm and aws-ssm of AWS.
	Provider NonEmpty `yaml:"provider,omitempty" json:"provider,omitempty"`
	// Where the store is by its object, as scheme://host[:port].
	Address StoreAddress `yaml:"address,omitempty" json:"address,omitempty"`
	// What fetches, such as an ExternalSecret; the policy is spec then.
	Object *ObjectMatch `yaml:"object,omitempty" json:"object,omitempty"`
}

// ObjectMatch selects objects that fetch; every field that is given must fit, and at least one is.
type ObjectMatch struct {
	// Kind, in any case of its letters.
	Kind NonEmpty `yaml:"kind,omitempty" json:"kind,omitempty"`
	// Glob of the name.
	Name Glob `yaml:"name,omitempty" json:"name,omitempty"`
	// Glob of the namespace; a namespace that the render does not know is the empty string, which only * fits.
	Namespace Glob `yaml:"namespace,omitempty" json:"namespace,omitempty"`
}

func (m *ObjectMatch) match() *Match {
	return &Match{Kind: m.Kind, Name: m.Name, Namespace: m.Namespace}
}

func (m *ObjectMatch) check() error { return m.match().check() }

func (m *SecretMatch) check() error {
	if *m == (SecretMatch{}) {
		return errors.New(`an empty match would fit every store; write name: "*" if that is meant`)
	}
	return nil
}

func (r *SecretRule) check() error {
	if r.Match.Object != nil && r.Policy != PolicySpec {
		return errors.New("match.object: two objects may fetch one key, so its policy can only be spec")
	}
	return nil
}

// matchesStore reports whether a store fits.
func (m *SecretMatch) matchesStore(s *sources.Store) bool {
	return (m.Kind == "" || strings.EqualFold(string(m.Kind), s.Kind)) &&
		(m.Name == "" || m.Name.Match(s.Name)) &&
		(m.Namespace == "" || m.Namespace.Match(s.Namespace)) &&
		(m.Provider == "" || string(m.Provider) == s.Provider) &&
		m.Address.fits(s)
}

// Matches reports whether what an object fetches from a store fits.
func (m *SecretMatch) Matches(store *sources.Store, kind, namespace, name string) bool {
	return m.matchesStore(store) && (m.Object == nil || m.Object.match().Matches(kind, namespace, name, nil))
}

// PolicyOf returns the policy for what comes from a store, where no rule is about the object that fetches it.
func (s *Settings) PolicyOf(store *sources.Store) SecretPolicy {
	for i := range s.SecretRules.Value {
		if r := &s.SecretRules.Value[i]; r.Match.Object == nil && r.Match.matchesStore(store) {
			return s.policyBy(r)
		}
	}
	return s.Secrets.Value
}

// policyBy returns the policy of a rule. What somebody says of one run counts before lock and live, and not before
// spec: there may be nobody to ask.
func (s *Settings) policyBy(r *SecretRule) SecretPolicy {
	if r.Policy != PolicySpec && s.Secrets.Source.ByOperator() {
		return s.Secrets.Value
	}
	return r.Policy
}

// ByManifest reports whether what an object fetches from a store counts by its manifest though others are asked for,
// and which of the rules says so; -1 where it is secrets.policy.
func (s *Settings) ByManifest(store *sources.Store, kind, namespace, name string) (rule int, ok bool) {
	for i := range s.SecretRules.Value {
		if s.SecretRules.Value[i].Match.Matches(store, kind, namespace, name) {
			return i, s.policyBy(&s.SecretRules.Value[i]) == PolicySpec
		}
	}
	return -1, s.Secrets.Value == PolicySpec && s.hasRuleFor(PolicyLock, PolicyLive)
}

// Asks reports whether anything comes from the lock or from stores.
func (s *Settings) Asks() bool {
	return s.Secrets.Value != PolicySpec || s.hasRuleFor(PolicyLock, PolicyLive)
}

// AsksStores reports whether anything comes from stores at each render.
func (s *Settings) AsksStores() bool {
	return s.Secrets.Value == PolicyLive || s.hasRuleFor(PolicyLive)
}

// TakesFromLock reports whether anything comes from the lock.
func (s *Settings) TakesFromLock() bool {
	return s.Secrets.Value == PolicyLock || s.hasRuleFor(PolicyLock)
}

// hasRuleFor reports whether a rule has one of some policies.
func (s *Settings) hasRuleFor(policies ...SecretPolicy) bool {
	return slices.ContainsFunc(s.SecretRules.Value, func(r SecretRule) bool {
		return slices.Contains(policies, s.policyBy(&r))
	})
}

// NotLocked says what becomes of a key that the lock does not have.
type NotLocked string

// The ways out.
const (
	NotLockedFail NotLocked = "fail"
	NotLockedSpec NotLocked = "spec"
)

// Choices lists the values.
func (NotLocked) Choices() []string { return []string{string(NotLockedFail), string(NotLockedSpec)} }

// UnmarshalText takes one of Choices.
func (n *NotLocked) UnmarshalText(b []byte) error { return choose(n, string(b)) }
