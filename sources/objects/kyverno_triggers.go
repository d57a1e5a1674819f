package objects

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
)

// triggers reports whether a Namespace triggers a rule by its match and exclude: kinds, names and labels. What else
// these say, such as who asks, is not known here, and counts as said of nobody. A rule for other kinds can be triggered
// in each namespace.
func triggers(rule manifest.Node, namespace string, labels labelSet) bool {
	match, exclude := rule.Get("match"), rule.Get("exclude")
	if !namesNamespaces(match) {
		return true
	}
	fits := func(filter manifest.Node) bool { return fitsNamespace(filter.Get("resources"), namespace, labels) }
	return combine(match, fits, false) && !combine(exclude, fits, true)
}

// combine evaluates the filters of match or exclude. Of an exclude only what is said about resources counts, where
// nothing else is said.
func combine(filters manifest.Node, fits func(manifest.Node) bool, isExclude bool) bool {
	test := func(filter manifest.Node) bool {
		resources := filter.Get("resources")
		return fits(filter) && (!isExclude || filter.Len() == 1 && resources.Len() > 0 && isKnownFilter(resources))
	}
	anyOf, allOf := slices.Collect(filters.Get("any").Items()), slices.Collect(filters.Get("all").Items())
	switch {
	case len(anyOf) > 0:
		return slices.ContainsFunc(anyOf, test)
	case len(allOf) > 0:
		return !slices.ContainsFunc(allOf, func(n manifest.Node) bool { return !test(n) })
	}
	return filters.Get("resources").IsMap() && test(filters)
}

// isKnownFilter reports whether fitsNamespace knows all that a filter of resources says.
func isKnownFilter(resources manifest.Node) bool {
	known := []string{"kinds", "name", "names", "namespaces", "selector", "namespaceSelector"}
	for key := range resources.Entries() {
		if !slices.Contains(known, key.Field()) {
			return false
		}
	}
	return true
}

// namesNamespaces reports whether a match has Namespaces among its kinds.
func namesNamespaces(match manifest.Node) bool {
	filters := append(slices.Collect(match.Get("any").Items()), slices.Collect(match.Get("all").Items())...)
	return slices.ContainsFunc(append(filters, match), func(n manifest.Node) bool {
		return n.Get("resources").IsMap() && hasNamespaceKind(n.Get("resources"))
	})
}

func hasNamespaceKind(resources manifest.Node) bool {
	for kind := range resources.Get("kinds").Items() {
		if k := strings.TrimPrefix(kind.StringValue(), "v1/"); k == kubeNamespace || k == "*" {
			return true
		}
	}
	return false
}

// fitsNamespace reports whether a filter of resources takes in a Namespace. One without kinds is about all of them, and
// one for namespaces compares the name of a Namespace: kyverno/kyverno, pkg/engine/utils/match.go.
func fitsNamespace(resources manifest.Node, namespace string, labels labelSet) bool {
	if resources.Get("kinds").Len() > 0 && !hasNamespaceKind(resources) {
		return false
	}
	names := slices.Collect(resources.Get("names").Items())
	if one := resources.Get("name"); one.StringValue() != "" {
		names = append(names, one)
	}
	if !anyFits(names, namespace) || !anyFits(slices.Collect(resources.Get("namespaces").Items()), namespace) {
		return false
	}
	for _, field := range []string{"selector", "namespaceSelector"} {
		if s := resources.Get(field); s.IsMap() && !hasWildcard(s) && !selects(s, labels) {
			return false
		}
	}
	return true
}

// anyFits reports whether one of some globs fits a name, or there are none.
func anyFits(globs []manifest.Node, name string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(n manifest.Node) bool {
		fits, err := path.Match(n.StringValue(), name)
		return fits && err == nil
	})
}

// hasWildcard reports whether a selector has labels with wildcards, of which nothing is known.
func hasWildcard(selector manifest.Node) bool {
	for key, value := range selector.Get("matchLabels").Entries() {
		if strings.ContainsAny(key.Field()+value.StringValue(), "*?") {
			return true
		}
	}
	return false
}

// What a GeneratingPolicy says in CEL, as far as it only clones: a source by literals, and where it goes.
var (
	celSource = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^resource\.Get\(\s*["']v1["']\s*,\s*["'](secrets|configmaps)["']\s*,` +
			`\s*["']([^"']+)["']\s*,\s*["']([^"']+)["']\s*\)$`)
	})
	celApply = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)^generator\.Apply\(\s*(.+?)\s*,\s*\[([^\[\]{}]*)\]\s*\)$`)
	})
	celText     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^["']([^"']+)["']$`) })
	celVariable = "variables."
)

// clonedByExpression returns what a GeneratingPolicy clones.
func clonedByExpression(spec manifest.Node) (out []generated) {
	variables := map[string]string{}
	for v := range spec.Get("variables").Items() {
		variables[celVariable+v.Get("name").StringValue()] = strings.TrimSpace(v.Get("expression").StringValue())
	}
	resolve := func(expression string) string {
		expression = strings.TrimSpace(expression)
		if value, isVariable := variables[expression]; isVariable {
			return value
		}
		return expression
	}
	for n := range spec.Get("generate").Items() {
		call := celApply().FindStringSubmatch(strings.TrimSpace(n.Get("expression").StringValue()))
		if call == nil {
			continue
		}
		namespace := ""
		if text := celText().FindStringSubmatch(resolve(call[1])); text != nil {
			namespace = text[1]
		}
		for item := range strings.SplitSeq(call[2], ",") {
			source := celSource().FindStringSubmatch(resolve(item))
			if source == nil {
				continue
			}
			kind := map[string]string{"secrets": secret, "configmaps": configMap}[source[1]]
			out = append(out, generated{kind: kind, name: source[3], namespace: namespace,
				from:         id{kind: kind, namespace: source[2], name: source[3]},
				synchronized: spec.At("evaluation", "synchronize", "enabled").IsTrue(),
				matches: func(namespace string, labels labelSet) bool {
					return matchesConstraints(spec.Get("matchConstraints"), labels)
				}})
		}
	}
	return out
}

// matchesConstraints reports whether a Namespace with labels triggers a policy by its selectors.
func matchesConstraints(constraints manifest.Node, labels labelSet) bool {
	for _, field := range []string{"objectSelector", "namespaceSelector"} {
		if s := constraints.Get(field); s.IsMap() && !selects(s, labels) {
			return false
		}
	}
	return true
}
