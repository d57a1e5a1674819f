package native

import (
	"slices"

	"sigs.k8s.io/kustomize/api/filters/fieldspec"
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
	targets  []named             // kinds that have objects with new names
	fields   map[resid.Gvk][]use // by the kind of the object that holds them
	position map[*object]int
	from     map[string][]*object // by the namespace that they had first
}

// named are the objects of one kind with new names, by their old ones.
type named struct {
	target
	byName map[string][]*object
}

// use is a field that may hold the name of a target.
type use struct {
	of    *named
	field types.FieldSpec
}

func newReferences(l *list, parse func(*object) error) *references {
	r := &references{list: l, parse: parse, fields: map[resid.Gvk][]use{}}
	all := targets()
	for _, t := range all {
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
	if len(r.targets) == 0 {
		return nil
	}
	r.position, r.from = map[*object]int{}, map[string][]*object{}
	for i, o := range r.list.objects {
		r.position[o] = i
		ns := o.original().EffectiveNamespace()
		r.from[ns] = append(r.from[ns], o)
	}
	for _, o := range r.list.objects {
		uses := r.usesBy(o.original().Gvk)
		if len(uses) == 0 {
			continue
		}
		if err := r.fixIn(o, uses); err != nil {
			return err
		}
	}
	return r.list.checkNames()
}

// usesBy returns the fields of a kind that may hold names, in kustomize's order.
func (r *references) usesBy(kind resid.Gvk) []use {
	uses, known := r.fields[kind]
	if known {
		return uses
	}
	for i := range r.targets {
		for _, f := range r.targets[i].fields {
			if kind.IsSelected(&f.Gvk) {
				uses = append(uses, use{&r.targets[i], f})
			}
		}
	}
	r.fields[kind] = uses
	return uses
}

// fixIn writes new names into the fields of one object.
func (r *references) fixIn(o *object, uses []use) error {
	if err := r.parse(o); err != nil {
		return err
	}
	bound, err := boundNamespaces(o)
	if err != nil {
		return err
	}
	for _, u := range uses {
		found, err := namesIn(o, u.field)
		if err != nil {
			return err
		}
		candidates := map[*object]bool{}
		for _, name := range found.names {
			for _, c := range u.of.byName[name] {
				if mayName(o, c, bound) {
					candidates[c] = true
				}
			}
		}
		if len(candidates) == 0 && !found.irregular {
			continue
		}
		for _, ns := range found.namespaces {
			// whether any object came from a namespace decides which ones are meant
			if i := slices.IndexFunc(r.from[ns], func(c *object) bool { return mayName(o, c, bound) }); i >= 0 {
				candidates[r.from[ns][i]] = true
			}
		}
		if err := r.filter(o, u, r.sorted(candidates)); err != nil {
			return err
		}
	}
	r.list.refresh(o)
	return nil
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

// namesIn looks into a field of an object.
func namesIn(o *object, field types.FieldSpec) (all found, err error) {
	field.Gvk = resid.Gvk{} // the object was selected already
	_, err = fieldspec.Filter{FieldSpec: field, SetValue: func(n *yaml.RNode) error {
		if !yaml.IsMissingOrNull(n) {
			all.add(n.YNode())
		}
		return nil
	}}.Filter(&o.res.RNode)
	if err != nil {
		return found{}, failed("following names", err)
	}
	return all, nil
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
