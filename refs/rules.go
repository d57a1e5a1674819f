package refs

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
)

// Find returns the templates of an object whose kind row describes.
func (t *Table) Find(o manifest.Object, row *Kind) []Template {
	if row.rule != nil {
		return t.findByRule(o, row.rule())
	}
	n := o.Node.At(row.Template...)
	if !n.IsMap() {
		return nil
	}
	out := Template{Node: n, Annotations: row.Annotations, PodSpec: n.At(row.PodSpec...)}
	out.References, out.Malformed = t.podSpec(out.PodSpec)
	return []Template{out}
}

// findByRule follows the paths of a configuration's rule. What the rule's references name counts for each of its
// templates.
func (t *Table) findByRule(o manifest.Object, rule *config.KindRule) []Template {
	var named []Reference
	for _, r := range rule.References {
		each(o.Node, r.Path.Steps(), func(n manifest.Node) { named = append(named, byRule(n, r)...) })
	}
	var out []Template
	base := rule.Template.Steps()
	each(o.Node, base, func(n manifest.Node) { out = append(out, t.templatesAt(o.Node, n, base, rule, named)...) })
	if len(out) == 0 && len(named) > 0 {
		// Nothing of the template is written, but what is named elsewhere counts for it.
		out = t.templatesAt(o.Node, o.Node, nil, rule, named)
	}
	return out
}

// templatesAt returns the templates at n, the place that base leads to from the root.
func (t *Table) templatesAt(
	root, n manifest.Node, base []config.Step, rule *config.KindRule, named []Reference,
) (out []Template) {
	found := slices.Clone(named)
	var malformed []Malformed
	var podSpec manifest.Node
	if !rule.PodSpec.IsZero() {
		from, steps := relative(root, n, base, rule.PodSpec.Steps())
		each(from, steps, func(spec manifest.Node) {
			if !podSpec.Valid() && !rule.Template.IsZero() {
				podSpec = spec
			}
			more, wrong := t.podSpec(spec)
			found, malformed = append(found, more...), append(malformed, wrong...)
		})
	}
	if rule.Annotations.IsZero() {
		return []Template{{Node: n, References: found, Malformed: malformed}}
	}
	from, steps := relative(root, n, base, rule.Annotations.Steps())
	// Only the fields after the last wildcard may be missing: they are made when the object is stamped.
	fields := len(steps)
	for fields > 0 && steps[fields-1].Each == config.Field {
		fields--
	}
	each(from, steps[:fields], func(n manifest.Node) {
		out = append(out, Template{Node: n, Annotations: names(steps[fields:]), PodSpec: podSpec, References: found,
			Malformed: malformed})
	})
	return out
}

// relative returns the way to a path from the place n that base leads to, or from the root where the path leads
// elsewhere.
func relative(root, n manifest.Node, base, path []config.Step) (manifest.Node, []config.Step) {
	if len(path) >= len(base) && slices.Equal(path[:len(base)], base) {
		return n, path[len(base):]
	}
	return root, path
}

func names(steps []config.Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = s.Field
	}
	return out
}

// each calls visit with every place that the steps lead to.
func each(n manifest.Node, steps []config.Step, visit func(manifest.Node)) {
	if !n.Valid() {
		return
	}
	if len(steps) == 0 {
		visit(n)
		return
	}
	switch steps[0].Each {
	case config.Field:
		each(n.Get(steps[0].Field), steps[1:], visit)
	case config.Items:
		for it := range n.Items() {
			each(it, steps[1:], visit)
		}
	case config.Values:
		for _, v := range n.Entries() {
			each(v, steps[1:], visit)
		}
	}
}

// isMountedByName reports whether a path leads to the names that operators mount at a folder of the same name, as those
// of Prometheus and VictoriaMetrics do: what runs in the pod finds the files by it.
func isMountedByName(p config.Path) bool {
	text := p.String()
	return strings.HasSuffix(text, ".secrets[*]") || strings.HasSuffix(text, ".configMaps[*]")
}

func byRule(n manifest.Node, r config.ReferenceRule) []Reference {
	var out []Reference
	steps := r.Name.Steps()
	if n.Type() == manifest.String && r.Name.String() == "name" {
		steps = nil // where the rule says nothing, a text is the name itself
	}
	each(n, steps, func(name manifest.Node) {
		ref := Reference{Kind: string(r.Kind), Name: name.StringValue(), Form: FormRule, All: r.Key.IsZero(),
			Offset: n.Offset(), NameOffset: name.Offset(),
			Optional: n.Get("optional").IsTrue(), InPath: n.Type() == manifest.String && isMountedByName(r.Path)}
		if !ref.All {
			each(n, r.Key.Steps(), func(k manifest.Node) {
				if key := k.StringValue(); key != "" {
					ref.Keys = append(ref.Keys, key)
				}
			})
			ref.All = len(ref.Keys) == 0 // it does not say which
		}
		if ref.Name != "" {
			out = append(out, ref)
		}
	})
	return out
}
