package objects

import (
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// ruleNames calls visit with what an object makes by a rule of the configuration.
func ruleNames(o manifest.Object, r *config.ProducerRule, visit func(kind, name, namespace string)) {
	namespace := first(o.Node, r.Namespace)
	found := false
	if !r.Name.IsZero() {
		each(o.Node, r.Name.Steps(), func(n manifest.Node) {
			if made := n.StringValue(); made != "" {
				found = true
				visit(string(r.Makes), made, namespace)
			}
		})
	}
	if !found {
		visit(string(r.Makes), o.Name, namespace)
	}
}

func first(n manifest.Node, path config.Path) (text string) {
	if path.IsZero() {
		return ""
	}
	each(n, path.Steps(), func(n manifest.Node) {
		if text == "" {
			text = n.StringValue()
		}
	})
	return text
}

// byRule makes the content that a rule of the configuration tells.
func byRule(k *making) {
	r, root := k.producer.row.rule, k.producer.node
	common := canonical.Value{Shape: canonical.Map}.With("producer", canonical.String(k.producer.kindAndGroup())).With("content", atPaths(root, r.Content))
	if r.Keys == nil {
		k.put(Anything, canonical.ClassSpec, func() canonical.Value {
			if len(r.Content) == 0 {
				return common.With("content", canonical.Read(root.Get("spec")))
			}
			return common
		})
		return
	}
	each(root, r.Keys.Path.Steps(), func(item manifest.Node) {
		key := first(item, r.Keys.Key)
		if key == "" {
			key = Anything
		}
		k.put(key, canonical.ClassSpec, func() canonical.Value {
			if len(r.Keys.Content) == 0 {
				return common.With("item", canonical.Read(item))
			}
			return common.With("item", atPaths(item, r.Keys.Content))
		})
	})
}

// atPaths returns what lies at each path, by its text: of a path with several places a list.
func atPaths(n manifest.Node, paths []config.Path) canonical.Value {
	out := canonical.Value{Shape: canonical.Map}
	for _, p := range paths {
		several := false
		for _, s := range p.Steps() {
			several = several || s.Each != config.Field
		}
		all := canonical.List()
		each(n, p.Steps(), func(n manifest.Node) { all.Items = append(all.Items, canonical.Read(n)) })
		switch {
		case several:
			out = out.With(p.String(), all)
		case len(all.Items) == 1:
			out = out.With(p.String(), all.Items[0])
		}
	}
	return out
}

// each calls visit with every place that the steps lead to.
func each(n manifest.Node, steps []config.Step, visit func(manifest.Node)) {
	switch {
	case !n.Valid():
	case len(steps) == 0:
		visit(n)
	case steps[0].Each == config.Field:
		each(n.Get(steps[0].Field), steps[1:], visit)
	case steps[0].Each == config.Items:
		for it := range n.Items() {
			each(it, steps[1:], visit)
		}
	default:
		for _, v := range n.Entries() {
			each(v, steps[1:], visit)
		}
	}
}

// Unmatched is a path of a rule that leads to nothing in an object which the rule fits.
type Unmatched struct {
	Rule  int    // which of the configuration's
	Field string // of the rule: content[0], keys.path; "" where the rule leaves it to the default
	Path  config.Path
}

// Rule reports by which rule of the configuration the object is known, and whether it is by one.
func (m *Producer) Rule() (which int, ok bool) { return m.row.ruleAt, m.row.rule != nil }

// Unmatched returns the paths for the content by a rule of the configuration that lead to nothing in the object, so that nothing there
// can move a digest. An empty list or map is something.
func (m *Producer) Unmatched() []Unmatched {
	r := m.row.rule
	if r == nil {
		return nil
	}
	var out []Unmatched
	missing := func(field string, p config.Path) { out = append(out, Unmatched{m.row.ruleAt, field, p}) }
	for i, p := range r.Content {
		if !leads(m.node, p.Steps()) {
			missing(fmt.Sprintf("content[%d]", i), p)
		}
	}
	switch {
	case r.Keys != nil && !leads(m.node, r.Keys.Path.Steps()):
		missing("keys.path", r.Keys.Path)
	case r.Keys != nil:
		var items []manifest.Node
		each(m.node, r.Keys.Path.Steps(), func(item manifest.Node) { items = append(items, item) })
		somewhere := func(field string, p config.Path) {
			if len(items) > 0 && !slices.ContainsFunc(items, func(item manifest.Node) bool { return leads(item, p.Steps()) }) {
				missing(field, p)
			}
		}
		somewhere("keys.key", r.Keys.Key)
		for i, p := range r.Keys.Content {
			somewhere(fmt.Sprintf("keys.content[%d]", i), p)
		}
	case len(r.Content) == 0 && !m.node.Get("spec").Valid():
		missing("", config.Path{}.Field("spec"))
	}
	return out
}

// leads reports whether steps lead to something, or to an empty list or map on the way.
func leads(n manifest.Node, steps []config.Step) (found bool) {
	if !n.Valid() || len(steps) == 0 {
		return n.Valid()
	}
	visit := func(n manifest.Node) { found = found || leads(n, steps[1:]) }
	switch {
	case steps[0].Each == config.Field:
		visit(n.Get(steps[0].Field))
	case n.Len() == 0:
		return n.Type() == manifest.Other || n.Type() == manifest.Null
	default:
		each(n, steps[:1], visit)
	}
	return found
}
