package objects

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// row says of a kind what its objects produce, and what shapes the content. The built-in rows and the rules of the
// configuration are rows. What shapes the content is a part of the contract in docs/content-v1.md.
type row struct {
	group  string // the API group, or its end behind a dot; "" for any
	except string // a group of any that has a row of its own
	exact  bool   // the group is all of it, and "" the core group

	kind      string                // of what is produced
	name      []config.NameTemplate // the first that leads somewhere counts; none: the producer's own name
	ownName   bool                  // where none leads anywhere, the producer's own name
	generated bool                  // a name that the API server will make up counts as one
	space     string                // the field beside the name that holds the namespace; "" for the producer's own
	namespace config.Path           // the path of the namespace, instead
	anywhere  bool                  // it makes copies in several namespaces
	kindAt    []string              // path of the kind that is produced, where it is not kind
	policyAt  []string              // path of a policy that may say "None": nothing is produced then
	level     int                   // the level of coverage that added the row; 0 is the first

	// Where content is nil, parts and keys shape it.
	content func(*making)
	parts   parts
	keys    *keyParts
	ref     func(*making, canonical.Value) sources.Ref
	more    func(*making, *canonical.Value) // adds fields to the content, by what is in its spec

	merge    merge                          // nil for config.MergeIgnore
	copiedBy []string                       // path of the annotations that what is produced gets
	refresh  []string                       // path of annotations whose change makes the operator fetch again; nil where none does
	problems func(*problems, manifest.Node) // what the operator would refuse; nil where nothing is checked
	// Why nobody can be asked for a version of all that it makes; "" where somebody can, or all of it lies in Git.
	versionless Versionless

	rule   *config.ProducerRule // of the configuration that the row comes from; nil for a built-in one
	ruleAt int                  // which of them
}

const (
	secret    = "Secret"
	configMap = "ConfigMap"
)

// names parses templates that are a part of the program.
func names(templates ...string) (out []config.NameTemplate) {
	for _, t := range templates {
		n, err := config.ParseName(t)
		if err != nil {
			panic(err)
		}
		out = append(out, n)
	}
	return out
}

// rowsFor returns the rows for a kind: those of the configuration before the built-in ones, which they replace for
// their group.
func (x *Index) rowsFor(o manifest.Object) []row {
	if len(x.rules) > 0 {
		var own []row
		for i := range x.rules {
			if r := &x.rules[i]; r.rule.Group == o.Group() && string(r.rule.Kind) == o.Kind {
				own = append(own, *r)
			}
		}
		if own != nil {
			return own
		}
	}
	return table[o.Kind]
}

// fits reports whether the object is the row's.
func (p *row) fits(o manifest.Object) bool {
	g := o.Group()
	switch {
	case p.exact:
		return g == p.group
	case p.group == "":
		return p.except == "" || g != p.except
	}
	return g == p.group || strings.HasSuffix(g, "."+p.group)
}

// visitNames calls visit with each object that o produces.
func (p *row) visitNames(o manifest.Object, visit func(kind, name, namespace string)) {
	if p.policyAt != nil && o.Node.At(p.policyAt...).StringValue() == "None" {
		return
	}
	kind := p.kind
	if p.kindAt != nil {
		at := o.Node.At(p.kindAt...)
		switch {
		case at.IsMap(): // a Bundle's target
		case at.StringValue() != "":
			kind = at.StringValue()
		case p.name == nil:
			return
		}
	}
	namespace, found := first(o.Node, p.namespace), false
	for _, n := range p.name {
		if found {
			break
		}
		visitName(o.Node, n.Parts(), func(name string, beside manifest.Node) {
			found = true
			if p.space != "" {
				namespace = beside.Get(p.space).StringValue()
			}
			visit(kind, name, namespace)
		})
	}
	if found || p.name != nil && !p.ownName {
		return
	}
	if p.generated || o.Node.At("metadata", "name").StringValue() != "" {
		visit(kind, o.Name, first(o.Node, p.namespace))
	}
}

// visitName calls visit with each name that the parts come to, and the map that the last of its paths ends in.
func visitName(root manifest.Node, parts []config.NamePart, visit func(name string, beside manifest.Node)) {
	if len(parts) == 1 {
		visitText(root, parts[0].Path.Steps(), visit)
		return
	}
	var join func(parts []config.NamePart, name string, beside manifest.Node)
	join = func(parts []config.NamePart, name string, beside manifest.Node) {
		switch {
		case len(parts) == 0:
			visit(name, beside)
		case parts[0].Path.IsZero():
			join(parts[1:], name+parts[0].Text, beside)
		default:
			visitText(root, parts[0].Path.Steps(), func(text string, at manifest.Node) { join(parts[1:], name+text, at) })
		}
	}
	join(parts, "", manifest.Node{})
}

// visitText calls visit with each text that steps lead to, and the map that it lies in.
func visitText(n manifest.Node, steps []config.Step, visit func(text string, in manifest.Node)) {
	last := len(steps) - 1
	if last < 0 || steps[last].Each != config.Field {
		each(n, steps, func(n manifest.Node) {
			if text := n.StringValue(); text != "" {
				visit(text, manifest.Node{})
			}
		})
		return
	}
	each(n, steps[:last], func(in manifest.Node) {
		if text := in.Get(steps[last].Field).StringValue(); text != "" {
			visit(text, in)
		}
	})
}

// first returns the first text that a path leads to.
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

// each calls visit with every place that the steps lead to.
func each(n manifest.Node, steps []config.Step, visit func(manifest.Node)) {
	for len(steps) > 0 && steps[0].Each == config.Field && n.Valid() {
		n, steps = n.Get(steps[0].Field), steps[1:]
	}
	switch {
	case !n.Valid():
	case len(steps) == 0:
		visit(n)
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

// operator is the rows by kind of one operator.
type operator map[string][]row

// join returns the rows of all operators by kind.
func join(operators ...operator) map[string][]row {
	out := map[string][]row{}
	for _, o := range operators {
		for kind, rows := range o {
			out[kind] = slices.Concat(out[kind], rows)
		}
	}
	return out
}
