package migrate

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// clones finds the rules of a policy of Kyverno that make ConfigMaps and Secrets.
func (s *scanner) clones(o manifest.Object, at diag.Position) {
	if o.Kind == "GeneratingPolicy" {
		s.add(s.m.index(kyverno), o, OnObject, "spec.generate", at)
	}
	for rule := range o.Node.At("spec", "rules").Items() {
		if generate := rule.Get("generate"); makesConfiguration(generate) ||
			slices.ContainsFunc(slices.Collect(generate.Get("foreach").Items()), makesConfiguration) {
			s.add(s.m.index(kyverno), o, OnObject, "spec.rules: "+s.app.hide(rule.Get("name").StringValue()), at)
		}
	}
}

// makesConfiguration reports whether what a rule generates is a ConfigMap or Secret, or may be one.
func makesConfiguration(pattern manifest.Node) bool {
	if kinds := pattern.At("cloneList", "kinds"); kinds.Len() > 0 {
		return slices.ContainsFunc(slices.Collect(kinds.Items()), func(n manifest.Node) bool {
			return isConfiguration(n.StringValue())
		})
	}
	makes := pattern.Get("clone").IsMap() || pattern.Get("data").IsMap()
	return makes && isConfiguration(pattern.Get("kind").StringValue())
}

// isConfiguration reports whether a kind, as policies write it (v1/Secret), is one of configuration, or may be: a
// variable.
func isConfiguration(kind string) bool {
	kind = kind[strings.LastIndex(kind, "/")+1:]
	return kind == refs.Secret || kind == refs.ConfigMap || strings.Contains(kind, "}}")
}

// protection finds the rules of a policy of Kyverno that refuse changes of ConfigMaps and Secrets, or that they go.
func (s *scanner) protection(o manifest.Object, at diag.Position) {
	if o.Kind == "ValidatingPolicy" {
		for rule := range o.Node.At("spec", "matchConstraints", "resourceRules").Items() {
			if hasOneOf(rule.Get("resources"), "configmaps", "secrets") &&
				hasOneOf(rule.Get("operations"), "UPDATE", "DELETE", "*") {
				s.add(s.m.index(kyverno), o, OnObject, "spec.validations", at)
			}
		}
	}
	for rule := range o.Node.At("spec", "rules").Items() {
		validate := rule.Get("validate")
		refuses := validate.Get("deny").Valid() || validate.Get("cel").IsMap()
		if refuses && slices.ContainsFunc(filtersOf(rule.Get("match")), protects) {
			s.add(s.m.index(kyverno), o, OnObject, "spec.rules: "+s.app.hide(rule.Get("name").StringValue()), at)
		}
	}
}

// filtersOf returns the filters of a rule's match.
func filtersOf(match manifest.Node) []manifest.Node {
	out := []manifest.Node{match}
	for _, field := range []string{"any", "all"} {
		out = append(out, slices.Collect(match.Get(field).Items())...)
	}
	return out
}

// protects reports whether a filter takes changes or deletions of ConfigMaps or Secrets. One that names no operations
// takes those of all but deletions.
func protects(filter manifest.Node) bool {
	resources := filter.Get("resources")
	operations := resources.Get("operations")
	if operations.Valid() && !hasOneOf(operations, "UPDATE", "DELETE") {
		return false
	}
	return slices.ContainsFunc(slices.Collect(resources.Get("kinds").Items()), func(n manifest.Node) bool {
		return isConfiguration(n.StringValue())
	})
}

// hasOneOf reports whether a list has one of some texts.
func hasOneOf(list manifest.Node, texts ...string) bool {
	return slices.ContainsFunc(slices.Collect(list.Items()), func(n manifest.Node) bool {
		return slices.Contains(texts, n.StringValue())
	})
}
