package objects

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// kyverno knows Kyverno: rules that generate Secrets and ConfigMaps, from data or as clones. kyverno/kyverno,
// api/kyverno/v1/rule_types.go (Generation).
func kyverno() operator {
	return operator{
		rows: map[string][]row{
			"ClusterPolicy":              {kyvernoRow(kyvernoGroup, true)},
			"Policy":                     {kyvernoRow(kyvernoGroup, false)},
			"GeneratingPolicy":           {kyvernoRow(kyvernoCELGroup, true)},
			"NamespacedGeneratingPolicy": {kyvernoRow(kyvernoCELGroup, false)},
		},
		secrets: []secretPlaces{{groups: kyvernoGroup, places: []redact.Place{
			{At: fields("spec.rules.*.generate.data"), Fields: []string{"data", "stringData"}},
			{At: fields("spec.rules.*.generate.foreach.*.data"), Fields: []string{"data", "stringData"}},
		}}},
	}
}

const (
	kyvernoGroup    = "kyverno.io"
	kyvernoCELGroup = "policies.kyverno.io"
)

// kyvernoRow returns the row of policies that generate objects in other namespaces, or only in their own.
func kyvernoRow(group string, anywhere bool) row {
	return row{
		group: group, kind: secret, anywhere: anywhere, yields: true, content: generatedContent, stale: neverSynchronized,
		sources: func(policy manifest.Node) []cloneSource {
			return append(clonedByRules(policy), readByExpressions(policy)...)
		},
		has: func(o manifest.Object) bool {
			return strings.HasSuffix(o.Group(), kyvernoGroup) &&
				(len(generatedBy(o.Node)) > 0 || len(clonedByRules(o.Node)) > 0 || len(readByExpressions(o.Node)) > 0)
		},
		namesOf: func(o manifest.Object, visit func(kind, name, namespace string)) {
			for _, g := range generatedBy(o.Node) {
				if g.name == "" {
					continue
				}
				namespace := g.namespace
				if !anywhere {
					namespace = ""
				}
				visit(g.kind, g.name, namespace)
			}
		},
		chooses: func(producer manifest.Node, of target, namespace string, labels labelSet) bool {
			return slices.ContainsFunc(generatedBy(producer), func(g generated) bool {
				return g.kind == of.kind && g.name == of.name && g.matches(namespace, labels)
			})
		},
		original: func(producer manifest.Node, of target) (id, bool) {
			for _, g := range generatedBy(producer) {
				if g.kind == of.kind && g.name == of.name && g.from != (id{}) {
					return g.from, true
				}
			}
			return id{}, false
		},
		lists: func(producer manifest.Node) (out []generated) {
			for _, g := range generatedBy(producer) {
				if !anywhere {
					g.namespace = producer.At("metadata", "namespace").StringValue()
				}
				if len(g.listed) > 0 && (anywhere || g.namespace != "") {
					out = append(out, g)
				}
			}
			return out
		},
	}
}

// generated is what a rule of a policy generates.
type generated struct {
	kind, name   string        // "" where a list is cloned
	namespace    string        // "" where that depends on what triggers the rule
	from         id            // of a clone; of a list its namespace
	listed       []string      // the kinds of a list
	selector     manifest.Node // of its objects
	data         manifest.Node // not of a clone
	synchronized bool
	matches      func(namespace string, labels labelSet) bool // whether a Namespace triggers the rule, where one can
}

// generatedBy returns what a policy generates of Secrets and ConfigMaps, as far as its text says what they are called.
func generatedBy(root manifest.Node) (out []generated) {
	spec := root.Get("spec")
	for rule := range spec.Get("rules").Items() {
		generate := rule.Get("generate")
		matches := func(namespace string, labels labelSet) bool { return triggers(rule, namespace, labels) }
		for _, pattern := range patternsOf(generate) {
			g := generated{kind: pattern.Get("kind").StringValue(), name: fixed(pattern.Get("name")),
				namespace: fixed(pattern.Get("namespace")), synchronized: generate.Get("synchronize").IsTrue(),
				data: pattern.Get("data"), matches: matches}
			clone, list := pattern.Get("clone"), pattern.Get("cloneList")
			g.from = id{kind: g.kind, name: fixed(clone.Get("name")), namespace: fixed(clone.Get("namespace"))}
			if g.from.name == "" || g.from.namespace == "" {
				g.from = id{}
			}
			if list.IsMap() {
				g.kind, g.name, g.listed, g.selector = "", "", clonedKinds(list), list.Get("selector")
				g.from = id{namespace: fixed(list.Get("namespace"))}
			}
			if len(g.listed) > 0 || g.name != "" && (g.kind == secret || g.kind == configMap) {
				out = append(out, g)
			}
		}
	}
	return append(out, clonedByExpression(spec)...)
}

// patternsOf returns what a rule generates: one thing, or one for each element of lists.
func patternsOf(generate manifest.Node) (out []manifest.Node) {
	if !generate.IsMap() {
		return nil
	}
	if each := generate.Get("foreach"); each.Valid() {
		for item := range each.Items() {
			out = append(out, item)
		}
		return out
	}
	return []manifest.Node{generate}
}

// fixed returns a text that has no variables, "" for one that does.
func fixed(n manifest.Node) string {
	if text := n.StringValue(); !strings.Contains(text, "{{") {
		return strings.Clone(text)
	}
	return ""
}

// clonedKinds returns which of the kinds that count a list names: v1/Secret.
func clonedKinds(list manifest.Node) (out []string) {
	for n := range list.Get("kinds").Items() {
		if kind := strings.TrimPrefix(n.StringValue(), "v1/"); kind == secret || kind == configMap {
			out = append(out, strings.Clone(kind))
		}
	}
	return out
}

// generatedContent builds what a rule puts into an object by its data, or else says where it clones it from.
func generatedContent(b *builder) {
	for _, g := range generatedBy(b.producer.node) {
		if g.kind != b.target.kind || g.name != b.target.name {
			continue
		}
		common := canonical.Value{Shape: canonical.Map}.With("producer", canonical.String(b.producer.kindAndGroup()))
		if !g.data.IsMap() {
			b.addUnversioned(Fetched)
			b.put(Anything, canonical.ClassSpec, func() canonical.Value {
				return common.With("clone", canonical.String(g.from.namespace+"/"+g.from.name))
			})
			return
		}
		b.out.Plain = b.out.Plain || g.kind == secret
		for _, f := range contentFields[g.kind] {
			for key, value := range g.data.Get(f.name).Entries() {
				b.put(key.Field(), canonical.ClassSpec, func() canonical.Value {
					return common.With("field", canonical.String(f.name)).With("data", canonical.Read(value))
				})
			}
		}
		return
	}
}

// neverSynchronized returns why what a policy has generated stays as it is, "" where some of it does not.
func neverSynchronized(root manifest.Node) string {
	if slices.ContainsFunc(generatedBy(root), func(g generated) bool { return g.synchronized }) {
		return ""
	}
	return "synchronize is not true: what has been generated once never changes"
}
