package config

import (
	"fmt"
	"slices"
	"strings"
)

// additionRows are the settings about objects and references that a render gets.
var additionRows = []Row{
	{
		Name: "bindings", In: InFile,
		Example: exampleBindings,
		About: "ConfigMaps and Secrets that workloads get besides those that their manifests name. A container that has " +
			"something already does not get it twice.",
		field: value(func(s *Settings) *Setting[[]BindingRule] { return &s.Bindings }),
	},
	{
		Name: "replicate", In: InFile,
		Example: exampleReplicate,
		About: "Objects of the render that are printed in other namespaces, too. A namespace that nobody renders gets " +
			"nothing by a glob or label.",
		field: value(func(s *Settings) *Setting[[]ReplicateRule] { return &s.Replicate }),
		check: (*Settings).checkReplicate,
	},
}

// checkReplicate refuses a second rule for an object, and one for a copy that another rule makes.
func (s *Settings) checkReplicate() error {
	rules := s.Replicate.Value
	for i := range rules {
		if by := s.CopiedBy(string(rules[i].Kind), string(rules[i].Namespace), string(rules[i].Name)); by >= 0 {
			return &mistake{fmt.Sprintf("replicate[%d].namespace", i), fmt.Errorf("the %s that is there is a copy which "+
				"replicate[%d] makes, and copies are not copied: name its namespaces under replicate[%[2]d].to",
				rules[i].Kind, by)}
		}
	}
	return once("replicate", rules, func(r ReplicateRule) string {
		return strings.ReplaceAll(string(r.Kind)+" "+string(r.Namespace)+"/"+string(r.Name), " /", " ")
	})
}

// CopiedBy returns the rule under replicate by which an object of a namespace is a copy for certain, as its index; -1
// for none.
func (s *Settings) CopiedBy(kind, namespace, name string) int {
	return slices.IndexFunc(s.Replicate.Value, func(r ReplicateRule) bool {
		return namespace != "" && string(r.Kind) == kind && string(r.Name) == name && string(r.Namespace) != namespace &&
			slices.Contains(r.To.Known(), namespace)
	})
}

// HasAdditions reports whether a render gets objects or references.
func (s *Settings) HasAdditions() bool { return len(s.Additions()) > 0 }

// Additions returns the names of the settings by which a render gets objects or references.
func (s *Settings) Additions() (names []string) {
	for _, one := range [...]struct {
		name  string
		isSet bool
	}{
		{"bindings", len(s.Bindings.Value) > 0}, {"replicate", len(s.Replicate.Value) > 0},
		{"copies", s.HasCopies()}, {"waves", s.HasWaves()},
	} {
		if one.isSet {
			names = append(names, one.name)
		}
	}
	return names
}

// HasWaves reports whether the order of workloads is written into them.
func (s *Settings) HasWaves() bool { return s.Waves.Value == WavesArgoCD && len(s.Order.Value) > 0 }

// WithoutAdditions returns a copy of the settings by which a render gets nothing.
func (s *Settings) WithoutAdditions() *Settings {
	out := s.WithoutCopies().Clone()
	out.Bindings.Value, out.Replicate.Value, out.Waves.Value = nil, nil, WavesOff
	return out
}
