package objects

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// rowsOf returns the configuration's rules as rows.
func rowsOf(rules []config.ProducerRule) []row {
	out := make([]row, len(rules))
	for i := range rules {
		r := &rules[i]
		out[i] = row{
			group: r.Group, exact: true, kind: string(r.Makes), generated: true, namespace: r.Namespace,
			ownName: !r.Name.HasMarks(), parts: partsOf(r), rule: r, ruleAt: i,
		}
		if !r.Name.IsZero() {
			out[i].name = []config.NameTemplate{r.Name}
		}
		if r.Merge != "" {
			out[i].merge = always(r.Merge)
		}
		if k := r.Keys; k != nil {
			item := parts{field: "item", paths: k.Content, shape: shapeOf(r).below(k.Path.String())}
			out[i].keys = &keyParts{path: k.Path, key: k.Key, parts: item}
		}
	}
	return out
}

// partsOf returns what shapes all keys by a rule: spec where it says nothing.
func partsOf(r *config.ProducerRule) parts {
	p := parts{field: "content", paths: r.Content, shape: shapeOf(r)}
	if len(r.Content) == 0 && r.Keys == nil {
		p.at, p.shape = []string{"spec"}, p.shape.below("spec")
	}
	return p
}

func shapeOf(r *config.ProducerRule) shape {
	var s shape
	for _, p := range r.Omit {
		s.omit = append(s.omit, p.String())
	}
	for path, v := range r.Defaults {
		s.defaults = append(s.defaults, canonical.DefaultOf(path, scalarOf(v)))
	}
	for _, p := range r.Sets {
		s.sets = append(s.sets, p.String())
	}
	return s
}

// scalarOf returns a value of the configuration as a manifest has it.
func scalarOf(v config.Scalar) canonical.Value {
	switch v.Tag {
	case "!!int", "!!float":
		return canonical.NumberOf(v.Text)
	case "!!bool":
		return canonical.BoolOf(strings.EqualFold(v.Text, "true"))
	}
	return canonical.String(v.Text)
}

// Unmatched is a path of a rule that leads to nothing in an object which the rule fits.
type Unmatched struct {
	Rule  int    // which of the configuration's
	Field string // of the rule: content[0], keys.path; "" where the rule leaves it to the default
	Path  config.Path
}

// Unnamed is an object that a rule of the configuration fits and that has nothing where the name of what it makes comes
// from: annotations or labels, so that it makes nothing, or else a template, instead of which its own name counts.
type Unnamed struct {
	Rule   int // which of the configuration's
	Name   config.NameTemplate
	Object string
	Offset int // in its text
}

// Rule reports by which rule of the configuration the object is known, and whether it is by one.
func (p *Producer) Rule() (which int, ok bool) { return p.row.ruleAt, p.row.rule != nil }

// UnmatchedPaths returns the paths for the content by a rule of the configuration that lead to nothing in the object,
// so that nothing there can move a digest. An empty list or map is something.
func (p *Producer) UnmatchedPaths() []Unmatched {
	r := p.row.rule
	if r == nil {
		return nil
	}
	var out []Unmatched
	missing := func(field string, path config.Path) { out = append(out, Unmatched{p.row.ruleAt, field, path}) }
	for i, path := range r.Content {
		if !leads(p.node, path.Steps()) {
			missing(fmt.Sprintf("content[%d]", i), path)
		}
	}
	switch {
	case r.Keys != nil && !leads(p.node, r.Keys.Path.Steps()):
		missing("keys.path", r.Keys.Path)
	case r.Keys != nil:
		var items []manifest.Node
		each(p.node, r.Keys.Path.Steps(), func(item manifest.Node) { items = append(items, item) })
		inSome := func(field string, path config.Path) {
			leadsIn := func(item manifest.Node) bool { return leads(item, path.Steps()) }
			if len(items) > 0 && !slices.ContainsFunc(items, leadsIn) {
				missing(field, path)
			}
		}
		inSome("keys.key", r.Keys.Key)
		for i, path := range r.Keys.Content {
			inSome(fmt.Sprintf("keys.content[%d]", i), path)
		}
	case len(r.Content) == 0 && !p.node.Get("spec").Valid():
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
