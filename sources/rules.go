package sources

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
)

// ruleNames calls visit with what an object makes by a rule of the configuration.
func ruleNames(o manifest.Object, r *config.ProducerRule, visit func(kind, name, namespace string)) {
	namespace := first(o.Node, r.Namespace)
	found := false
	if !r.Name.IsZero() {
		each(o.Node, r.Name.Steps(), func(n manifest.Node) {
			if made := n.Given(); made != "" {
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
			text = n.Given()
		}
	})
	return text
}

// byRule makes the content that a rule of the configuration tells.
func byRule(k *making) {
	r, root := k.maker.row.rule, k.maker.node
	common := value{shape: mapping}.with("producer", text(k.maker.producer())).with("content", atPaths(root, r.Content))
	if r.Keys == nil {
		k.put(Anything, classSpec, func() value {
			if len(r.Content) == 0 {
				return common.with("content", read(root.Get("spec")))
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
		k.put(key, classSpec, func() value {
			if len(r.Keys.Content) == 0 {
				return common.with("item", read(item))
			}
			return common.with("item", atPaths(item, r.Keys.Content))
		})
	})
}

// atPaths gives what lies at each path, by its text: of a path with several places a list.
func atPaths(n manifest.Node, paths []config.Path) value {
	out := value{shape: mapping}
	for _, p := range paths {
		several := false
		for _, s := range p.Steps() {
			several = several || s.Each != config.Field
		}
		all := list()
		each(n, p.Steps(), func(n manifest.Node) { all.items = append(all.items, read(n)) })
		switch {
		case several:
			out = out.with(p.String(), all)
		case len(all.items) == 1:
			out = out.with(p.String(), all.items[0])
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
