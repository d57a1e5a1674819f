package native

import (
	"slices"

	"sigs.k8s.io/kustomize/api/filters/nameref"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// references writes new names where objects name others by old ones. kustomize's own filter does it for one field of
// one object, among the objects that have had a name that is written there: it compares old names first, so that it
// would find no other among all.
type references struct {
	parse    func(*object) error
	list     *list
	all      *referrers
	targets  []named                 // kinds that have objects with new names
	fields   map[resid.Gvk]*referrer // by the kind of the object that holds them
	position map[*object]int
	from     map[string][]*object // by the namespace that they had first
}

// named are the objects of one kind with new names, by their old ones.
type named struct {
	target
	byName map[string][]*object
}

// referrer is a kind that may name others.
type referrer struct {
	paths *paths
	uses  []use // in kustomize's order
}

// use is a field that may hold the name of a target.
type use struct {
	of    *named
	field types.FieldSpec
}

func newReferences(l *list, all *referrers, parse func(*object) error) *references {
	r := &references{list: l, all: all, parse: parse, fields: map[resid.Gvk]*referrer{}}
	for _, t := range all.targets {
		n := named{t, map[string][]*object{}}
		for _, o := range l.objects {
			if !slices.ContainsFunc(o.previous, func(id resid.ResId) bool { return id.IsSelected(&n.Gvk) }) {
				continue
			}
			for i, id := range o.previous {
				if !slices.ContainsFunc(o.previous[:i], func(before resid.ResId) bool { return before.Name == id.Name }) {
					n.byName[id.Name] = append(n.byName[id.Name], o)
				}
			}
		}
		if len(n.byName) > 0 {
			r.targets = append(r.targets, n)
		}
	}
	return r
}

// fix goes through all objects that may name others.
func (r *references) fix() error {
	r.position, r.from = map[*object]int{}, map[string][]*object{}
	for i, o := range r.list.objects {
		r.position[o] = i
		ns := o.original().EffectiveNamespace()
		r.from[ns] = append(r.from[ns], o)
	}
	for _, o := range r.list.objects {
		by := r.by(o.original().Gvk)
		if by == nil || o.res == nil && len(by.uses) == 0 {
			continue // what is text was looked at when it was read
		}
		if err := r.fixIn(o, by); err != nil {
			return err
		}
	}
	return r.list.checkNames()
}

// by returns the fields of a kind that may hold names, nil if there are none.
func (r *references) by(kind resid.Gvk) *referrer {
	by, known := r.fields[kind]
	if known || r.all.of(kind) == nil {
		return by
	}
	by = &referrer{paths: &paths{}}
	for _, t := range r.all.targets {
		i := slices.IndexFunc(r.targets, func(n named) bool { return n.Gvk == t.Gvk })
		for _, f := range t.fields {
			switch {
			case !kind.IsSelected(&f.Gvk):
			case i < 0:
				by.paths.add(f, -1)
			default:
				by.paths.add(f, len(by.uses))
				by.uses = append(by.uses, use{&r.targets[i], f})
			}
		}
	}
	r.fields[kind] = by
	return by
}

// fixIn writes new names into the fields of one object.
func (r *references) fixIn(o *object, by *referrer) error {
	if err := r.parse(o); err != nil {
		return err
	}
	bound, err := boundNamespaces(o)
	if err != nil {
		return err
	}
	names, err := by.namesIn(o)
	if err != nil {
		return err
	}
	for i, u := range by.uses {
		candidates := r.candidates(o, u, names[i], bound)
		if len(candidates) == 0 && !names[i].irregular {
			continue
		}
		if err := r.filter(o, u, r.sorted(candidates)); err != nil {
			return err
		}
		if names, err = by.namesIn(o); err != nil { // other targets may be named by the same field
			return err
		}
	}
	r.list.refresh(o)
	return nil
}

// candidates returns the objects that an object may mean by names in one of its fields.
func (r *references) candidates(o *object, u use, names found, bound map[string]bool) map[*object]bool {
	var candidates map[*object]bool
	add := func(c *object) {
		if candidates == nil {
			candidates = map[*object]bool{}
		}
		candidates[c] = true
	}
	for _, name := range names.names {
		for _, c := range u.of.byName[name] {
			if mayName(o, c, bound) {
				add(c)
			}
		}
	}
	if len(candidates) == 0 && !names.irregular {
		return nil
	}
	for _, ns := range names.namespaces {
		// whether any object came from a namespace decides which ones are meant
		if i := slices.IndexFunc(r.from[ns], func(c *object) bool { return mayName(o, c, bound) }); i >= 0 {
			add(r.from[ns][i])
		}
	}
	return candidates
}

func (r *references) sorted(some map[*object]bool) []*object {
	out := make([]*object, 0, len(some))
	for o := range some {
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b *object) int { return r.position[a] - r.position[b] })
	return out
}

// filter lets kustomize fix one field of an object.
func (r *references) filter(o *object, u use, candidates []*object) error {
	for _, c := range candidates {
		if err := r.parse(c); err != nil {
			return err
		}
	}
	m, err := mapOf(candidates)
	if err != nil {
		return failed("following names", err)
	}
	if err := o.res.ApplyFilter(nameref.Filter{Referrer: o.res, NameFieldToUpdate: u.field, ReferralTarget: u.of.Gvk,
		ReferralCandidates: m}); err != nil {
		return failed("following names", err)
	}
	for _, c := range candidates {
		// it grows with each object that names this one, and nothing reads it
		if err := c.res.PipeE(yaml.ClearAnnotation("internal.config.kubernetes.io/refBy")); err != nil {
			return failed("following names", err)
		}
	}
	return nil
}

// mayName reports whether an object may refer to another: in its own namespace, in none, or in one that it names.
func mayName(o, other *object, bound map[string]bool) bool {
	return o.id.IsClusterScoped() || other.id.IsClusterScoped() || other.id.IsNsEquals(o.id) || bound[other.id.Namespace]
}

// boundNamespaces returns the namespaces of the service accounts that a RoleBinding names.
func boundNamespaces(o *object) (map[string]bool, error) {
	if o.res.GetKind() != "RoleBinding" {
		return nil, nil
	}
	subjects, err := o.res.GetSlice("subjects")
	if err != nil {
		return nil, nil //nolint:nilerr // it has none, then
	}
	bound := map[string]bool{}
	for _, s := range subjects {
		subject, ok := s.(map[string]any)
		if !ok {
			return nil, decline("subjects that are no mappings")
		}
		ns, there := subject["namespace"]
		kind, ok := subject["kind"].(string)
		switch text, isText := ns.(string); {
		case there && !ok && subject["kind"] != nil, there && kind == "ServiceAccount" && !isText:
			return nil, decline("subjects of other types")
		case kind == "ServiceAccount" && there:
			bound[text] = true
		}
	}
	return bound, nil
}

// found is what a field that may hold names holds.
type found struct {
	names      []string
	namespaces []string // that are written beside names
	irregular  bool     // there is something that may be an error
}

// namesIn looks into the fields of an object.
func (r *referrer) namesIn(o *object) ([]found, error) {
	all := make([]found, len(r.uses))
	if !r.paths.collect(o.res.YNode(), all) {
		return nil, decline("something else where names should be")
	}
	return all, nil
}

func (f *found) addAll(more found) {
	f.names = append(f.names, more.names...)
	f.namespaces = append(f.namespaces, more.namespaces...)
	f.irregular = f.irregular || more.irregular
}

func (f *found) add(n *yaml.Node) {
	switch n.Kind {
	case yaml.ScalarNode:
		f.names = append(f.names, n.Value)
	case yaml.SequenceNode:
		for _, e := range n.Content {
			if e.Kind == yaml.SequenceNode {
				f.irregular = true
				continue
			}
			f.add(e)
		}
	case yaml.MappingNode:
		f.addMapping(n)
	default:
		f.irregular = true
	}
}

func (f *found) addMapping(n *yaml.Node) {
	isNamed := false
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch n.Content[i].Value {
		case "name":
			isNamed = true
			f.names = append(f.names, n.Content[i+1].Value)
		case "namespace":
			f.namespaces = append(f.namespaces, n.Content[i+1].Value)
		}
	}
	f.irregular = f.irregular || !isNamed
}
