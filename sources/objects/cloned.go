package objects

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
)

// Cloner is a policy by which an operator copies an object into other namespaces.
type Cloner struct {
	Policy  string // as messages name it
	Offset  int    // where in its text
	Context bool   // that text is one of the context's, not the input
}

// cloneSource is what a policy copies: all that fits it.
type cloneSource struct {
	by              Cloner
	kinds           []string
	namespace, name string        // "" where the text does not say which
	selector        manifest.Node // of a list; not Valid where all of it is copied
}

// ClonedBy returns the policy of the input or the context that may copy an object into other namespaces. Where a policy
// computes what it copies, it may be any.
func (x *Index) ClonedBy(o *Object) (by Cloner, ok bool) {
	for _, index := range []*Index{x, x.context} {
		if index == nil {
			continue
		}
		for i := range index.cloneSources {
			if s := &index.cloneSources[i]; s.fits(o) {
				return s.by, true
			}
		}
	}
	return Cloner{}, false
}

func (s *cloneSource) fits(o *Object) bool {
	if !slices.Contains(s.kinds, o.Kind) || s.name != "" && s.name != o.Name ||
		s.namespace != "" && o.Namespace != "" && s.namespace != o.Namespace {
		return false
	}
	return !s.selector.IsMap() || isComputed(s.selector) ||
		slices.ContainsFunc(o.labelSets(), func(labels labelSet) bool { return selects(s.selector, labels) })
}

// isComputed reports whether a selector has wildcards or variables.
func isComputed(selector manifest.Node) bool {
	return hasWildcard(selector) || strings.Contains(string(selector.Raw()), "{{")
}

// managedLabel is the label that External Secrets puts on what it produces.
const managedLabel = "reconcile.external-secrets.io/managed"

// labelSets returns the labels that an object may have in the cluster: its own, or what its producers may pass on.
func (o *Object) labelSets() (out []labelSet) {
	if !o.IsProduced() {
		return []labelSet{labelsOf("", o.ownNode().At("metadata", "labels"))}
	}
	for _, p := range o.producers {
		for _, above := range []string{"metadata", "spec.template.metadata", "spec.target.template.metadata"} {
			labels := labelsOf("", p.node.At(fields(above)...).Get("labels"))
			out = append(out, func(key string) (value string, exists bool) {
				if key == managedLabel {
					return "true", true
				}
				return labels(key)
			})
		}
	}
	return out
}

// clonedByRules returns what the rules of a policy of Kyverno copy.
func clonedByRules(policy manifest.Node) (out []cloneSource) {
	for rule := range policy.At("spec", "rules").Items() {
		for _, pattern := range patternsOf(rule.Get("generate")) {
			if clone := pattern.Get("clone"); clone.IsMap() {
				out = append(out, cloneSource{kinds: kindsNamed(pattern.Get("kind").StringValue()),
					namespace: fixed(clone.Get("namespace")), name: fixed(clone.Get("name"))})
			}
			if list := pattern.Get("cloneList"); list.IsMap() {
				s := cloneSource{namespace: fixed(list.Get("namespace")), selector: list.Get("selector")}
				for kind := range list.Get("kinds").Items() {
					s.kinds = append(s.kinds, kindsNamed(kind.StringValue())...)
				}
				out = append(out, s)
			}
		}
	}
	return out
}

// kindsNamed returns which of the kinds that count a policy names: Secret, v1/Secret, "*" or by a variable.
func kindsNamed(text string) []string {
	switch kind := text[strings.LastIndexByte(text, '/')+1:]; {
	case kind == secret || kind == configMap:
		return []string{kind}
	case strings.ContainsAny(kind, "*?{"):
		return []string{configMap, secret}
	}
	return nil
}

// celRead finds where an expression in CEL reads objects, with the arguments for their version, resource, namespace and
// name, as far as these are simple.
var celRead = sync.OnceValue(func() *regexp.Regexp {
	const text = `("[^"]*"|'[^']*')`
	return regexp.MustCompile(`\bresource\s*\.\s*(?:Get|List)\s*\(\s*([^,]*?)\s*,\s*([^,]*?)\s*,\s*` +
		`(?:` + text + `\s*(?:\)|,\s*(?:` + text + `\s*\))?))?`)
})

// readByExpressions returns what the expressions of a GeneratingPolicy read, one by one or in lists: what they copy is
// among it.
func readByExpressions(policy manifest.Node) (out []cloneSource) {
	for _, list := range []string{"variables", "generate"} {
		for n := range policy.At("spec", list).Items() {
			for _, call := range celRead().FindAllStringSubmatch(n.Get("expression").StringValue(), -1) {
				s := cloneSource{namespace: unquoted(call[3]), name: unquoted(call[4])}
				for resource, kind := range map[string]string{"configmaps": configMap, "secrets": secret} {
					if isOrComputed(call[1], "v1") && isOrComputed(call[2], resource) {
						s.kinds = append(s.kinds, kind)
					}
				}
				out = append(out, s)
			}
		}
	}
	return out
}

// isOrComputed reports whether an argument is a text, or no literal.
func isOrComputed(argument, text string) bool {
	literal := unquoted(argument)
	return literal == "" || literal == text
}

// unquoted returns the text of a literal in CEL, "" of any other expression.
func unquoted(argument string) string {
	if text := celText().FindStringSubmatch(argument); text != nil {
		return strings.Clone(text[1])
	}
	return ""
}
