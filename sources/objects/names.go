package objects

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
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

// fits reports whether the object is the row's.
func (r *row) fits(o manifest.Object) bool {
	g := o.Group()
	switch {
	case r.exact:
		return g == r.group
	case r.group == "":
		return r.except == "" || g != r.except
	}
	return g == r.group || strings.HasSuffix(g, "."+r.group)
}

// produces reports whether the object produces anything, by the fields that decide it.
func (r *row) produces(o manifest.Object) bool {
	if r.policyAt != nil && o.Node.At(r.policyAt...).StringValue() == "None" {
		return false
	}
	if r.needs != nil && !isSet(o.Node.At(r.needs...)) {
		return false
	}
	return !slices.ContainsFunc(r.unless, func(path []string) bool { return isSet(o.Node.At(path...)) })
}

// isSet reports whether a field is there and neither null nor false nor an empty string.
func isSet(n manifest.Node) bool {
	switch n.Type() {
	case manifest.Null:
		return false
	case manifest.Bool:
		return n.IsTrue()
	case manifest.String:
		return n.StringValue() != ""
	}
	return n.Valid()
}

// visitNames calls visit with each object that o produces. It returns false where the row has names and none of them
// leads to anything.
func (r *row) visitNames(o manifest.Object, visit func(kind, name, namespace string)) (named bool) {
	if !r.produces(o) {
		return true
	}
	if r.namesOf != nil {
		r.namesOf(o, visit)
		return true
	}
	kind := r.kind
	if r.kindAt != nil {
		at := o.Node.At(r.kindAt...)
		switch {
		case at.IsMap(): // a Bundle's target
		case at.StringValue() != "":
			kind = at.StringValue()
		case r.name == nil:
			return true
		}
	}
	namespace, found := first(o.Node, r.namespace), false
	for _, n := range r.name {
		if found {
			break
		}
		visitName(o.Node, n.Parts(), func(name string, in manifest.Node) {
			found = true
			if r.space != "" {
				namespace = in.Get(r.space).StringValue()
			}
			visit(kind, name, namespace)
		})
	}
	if found || r.name != nil && !r.ownName {
		return found
	}
	if r.generated || o.Node.At("metadata", "name").StringValue() != "" {
		visit(kind, o.Name, first(o.Node, r.namespace))
	}
	return r.name == nil
}

// visitName calls visit with each name that the parts come to, and the map that the last of its paths ends in.
func visitName(root manifest.Node, parts []config.NamePart, visit func(name string, in manifest.Node)) {
	if len(parts) == 1 {
		visitText(root, parts[0].Path.Steps(), visit)
		return
	}
	var join func(parts []config.NamePart, name string, in manifest.Node)
	join = func(parts []config.NamePart, name string, in manifest.Node) {
		switch {
		case len(parts) == 0:
			visit(name, in)
		case parts[0].Path.IsZero():
			join(parts[1:], name+parts[0].Text, in)
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
