package native

import (
	"slices"
	"sync"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/kustomize/kyaml/utils"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/rollstamp/rollstamp/manifest"
)

// paths are the fields of one kind that may hold names, as a tree, so that an object is walked once for all of them.
// kustomize ends with an error where one leads through text, even if no name has changed.
type paths struct {
	below map[string]*paths
	names bool  // names may be here
	uses  []int // which of the kind's uses look here
}

// add adds a field, and what looks there, or -1.
func (p *paths) add(field types.FieldSpec, use int) {
	for _, part := range utils.PathSplitter(field.Path, "/") {
		if p.below == nil {
			p.below = map[string]*paths{}
		}
		if p.below[part] == nil {
			p.below[part] = &paths{}
		}
		p = p.below[part]
	}
	p.names = true
	if use >= 0 {
		p.uses = append(p.uses, use)
	}
}

// collect looks into all fields below a node. It reports whether none leads through text, or to something that is no
// name and that nobody looks at.
func (p *paths) collect(n *yaml.Node, into []found) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Tag == yaml.NodeTagNull {
		return true
	}
	if p.names {
		var here found
		here.add(n)
		for _, u := range p.uses {
			into[u].addAll(here)
		}
		if here.irregular && len(p.uses) == 0 {
			return false
		}
	}
	switch {
	case len(p.below) == 0:
		return true
	case n.Kind == yaml.SequenceNode:
		return !slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return !p.collect(e, into) })
	case n.Kind != yaml.MappingNode:
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if below := p.below[n.Content[i].Value]; below != nil && !below.collect(n.Content[i+1], into) {
			return false
		}
	}
	return true
}

// fit reports whether kustomize certainly ends with no error where it looks for names in an object that is text.
func (p *paths) fit(n manifest.Node) bool {
	switch {
	case !n.Valid() || n.Type() == manifest.Null:
		return true
	case n.IsAliased(), p.names && !mayBeNames(n):
		return false
	case len(p.below) == 0:
		return true
	case n.IsSeq():
		for e := n.Elements(); e.Next(); {
			if !p.fit(e.Item) {
				return false
			}
		}
		return true
	case !n.IsMap():
		return false
	}
	for f := n.Fields(); f.Next(); {
		if below := p.below[f.Key.Text()]; below != nil && !below.fit(f.Value) {
			return false
		}
	}
	return true
}

// mayBeNames reports whether a node is a name, an object with a name, or a list of these.
func mayBeNames(n manifest.Node) bool {
	for e := n.Elements(); n.IsSeq() && e.Next(); {
		if e.Item.IsAliased() || e.Item.IsSeq() || !mayBeNames(e.Item) {
			return false
		}
	}
	return !n.IsMap() || n.Get("name").Valid()
}

// referrers are the kinds that may name others.
type referrers struct {
	targets []target
	byKind  map[resid.Gvk]*paths // nil for a kind that names none
}

func newReferrers() *referrers { return &referrers{allTargets(), map[resid.Gvk]*paths{}} }

// allTargets are the targets, made once: nothing changes them.
var allTargets = sync.OnceValue(targets)

// of returns the fields of a kind that may hold names.
func (r *referrers) of(kind resid.Gvk) *paths {
	p, known := r.byKind[kind]
	if known {
		return p
	}
	for _, t := range r.targets {
		for _, f := range t.fields {
			if kind.IsSelected(&f.Gvk) {
				if p == nil {
					p = &paths{}
				}
				p.add(f, -1)
			}
		}
	}
	r.byKind[kind] = p
	return p
}

// areRegular reports whether kustomize certainly follows the names in an object that is text, if there are any to
// follow.
func (r *referrers) areRegular(kind resid.Gvk, root manifest.Node) bool {
	p := r.of(kind)
	if p == nil {
		return true
	}
	subjects := root.Get("subjects")
	for e := subjects.Elements(); kind.Kind == "RoleBinding" && subjects.IsSeq() && e.Next(); {
		ns := e.Item.Get("namespace")
		if !e.Item.IsMap() || e.Item.Get("kind").Type() != manifest.String || ns.Valid() && ns.Type() != manifest.String {
			return false
		}
	}
	return p.fit(root)
}
