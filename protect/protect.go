// Package protect is about objects that nobody changes without an approval: which rules protect one, what approves a
// change in Git, and the policy by which the API server refuses it in the cluster.
package protect

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/config"
)

// Object is what rules look at. Labels are asked for where the rest fits.
type Object struct {
	Kind, Namespace, Name string
	// Base is the name without a hash of the content, by which people know what is generated; "" where there is none.
	Base   string
	Labels func() map[string]string
	// Unplaced: its namespace is not known, as of a chart of which nobody says where it goes; Namespace is "".
	Unplaced bool
	Among    []config.Glob // of one that is unplaced: the namespaces in which rules protect it
}

// String returns KIND/NAMESPACE/NAME, as approvals name the object; KIND/NAME where it has no namespace.
func (o Object) String() string {
	name := cmp.Or(o.Base, o.Name)
	if o.Namespace == "" {
		return o.Kind + "/" + name
	}
	return o.Kind + "/" + o.Namespace + "/" + name
}

// RulesFor returns the rules that protect an object.
func RulesFor(p config.Protect, o Object) (out []config.ProtectRule) {
	for _, rule := range p.Objects.Value {
		if Protects(rule.Match, o) {
			out = append(out, rule)
		}
	}
	return out
}

// Protects reports whether a rule with a match protects an object. One whose namespace is not known may be in that of
// the rule: what is protected is not left to chance.
func Protects(m config.Match, o Object) bool {
	if o.Unplaced {
		m.Namespace = ""
	}
	return Matches(m, o)
}

// Matches reports whether an object fits.
func Matches(m config.Match, o Object) bool {
	labels := m.Labels
	m.Labels = config.Selector{}
	if !m.Matches(o.Kind, o.Namespace, o.Name, nil) {
		return false
	}
	return labels.IsZero() || labels.Matches(o.Labels())
}

// Forbid reports whether one of the rules protects against something.
func Forbid(rules []config.ProtectRule, what config.Against) bool {
	return slices.ContainsFunc(rules, func(r config.ProtectRule) bool { return r.Forbids(what) })
}
