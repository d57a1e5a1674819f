package native

import (
	"slices"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// object is one object on its way through kustomizations.
type object struct {
	id       resid.ResId   // as it is now
	previous []resid.ResId // before its names changed, the oldest first

	res     *resource.Resource // nil while nothing changes the object
	source  []byte             // the document that it was read from; nil where it was not read from one
	printed []byte             // what is printed of it while nothing changes it
	file    string
	line    int

	imageless bool // while it is text: it has no image, and nothing where kustomize looks for one
	gone      bool // a patch deleted it
}

// original returns the first name of an object.
func (o *object) original() resid.ResId {
	if len(o.previous) > 0 {
		return o.previous[0]
	}
	return o.id
}

// hasID reports whether an object has or had a name.
func (o *object) hasID(id resid.ResId) bool {
	return o.id.Equals(id) || slices.ContainsFunc(o.previous, id.Equals)
}

// list is the objects of a kustomization, in the order in which they were read.
type list struct {
	objects []*object
	byName  map[string][]*object // those that have or had a name, nil until that is asked
	renamed bool                 // since names were compared
}

// add adds objects.
func (l *list) add(objects ...*object) {
	l.objects = append(l.objects, objects...)
	for _, o := range objects {
		l.note(o)
	}
}

// note adds the names of an object to the index. Names are never taken out: whoever asks looks at what an object has.
func (l *list) note(o *object) {
	if l.byName == nil {
		return
	}
	l.noteName(o, o.id.Name)
	for _, id := range o.previous {
		l.noteName(o, id.Name)
	}
}

func (l *list) noteName(o *object, name string) {
	if same := l.byName[name]; !slices.Contains(same, o) {
		l.byName[name] = append(same, o)
	}
}

// named returns the objects that have or had a name.
func (l *list) named(name string) []*object {
	if l.byName == nil {
		l.byName = make(map[string][]*object, len(l.objects))
		for _, o := range l.objects {
			l.note(o)
		}
	}
	return slices.DeleteFunc(slices.Clone(l.byName[name]), func(o *object) bool { return o.gone })
}

// drop takes objects out.
func (l *list) drop(isGone func(*object) bool) {
	left := make([]*object, 0, len(l.objects))
	for _, o := range l.objects {
		if o.gone = isGone(o); !o.gone {
			left = append(left, o)
		}
	}
	l.objects = left
}

// checkNames declines where two objects have one name: kustomize ends there.
func (l *list) checkNames() error {
	l.renamed = false
	seen := make(map[resid.ResId]bool, len(l.objects))
	for _, o := range l.objects {
		id := o.id
		id.Namespace = id.EffectiveNamespace()
		if seen[id] {
			return decline("two objects of one name")
		}
		seen[id] = true
	}
	return nil
}

// inOrder returns objects in the order of the list, each once.
func (l *list) inOrder(some map[*object]bool) []*object {
	out := make([]*object, 0, len(some))
	for _, o := range l.objects {
		if some[o] {
			out = append(out, o)
		}
	}
	return out
}

// mapOf returns kustomize's list of objects that are node trees already. kustomize compares each object that is added
// with all others; here they are known to differ.
func mapOf(objects []*object) (resmap.ResMap, error) {
	m := resmap.New()
	if len(objects) == 1 {
		return m, m.Append(objects[0].res)
	}
	all := make([]*yaml.RNode, len(objects))
	for i, o := range objects {
		all[i] = &o.res.RNode
	}
	err := m.ApplyFilter(kio.FilterFunc(func([]*yaml.RNode) ([]*yaml.RNode, error) { return all, nil }))
	if err != nil || m.Size() != len(all) {
		return nil, decline("objects that are empty")
	}
	for i, r := range m.Resources() {
		objects[i].res = r // which has the same nodes
	}
	return m, nil
}
