package patches

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
)

// operation is one of JSON Patch, with the names of that.
type operation struct {
	Op    string `yaml:"op"`
	Path  string `yaml:"path"`
	Value any    `yaml:"value"`
}

// innerItem is a patch as the item of a list.
type innerItem struct {
	Patch  string      `yaml:"patch"`
	Target innerTarget `yaml:"target"`
}

// innerTarget is the object that a patch is for.
type innerTarget struct {
	Group     string `yaml:"group,omitempty"`
	Kind      string `yaml:"kind"`
	Name      string `yaml:"name"`
	Namespace string `yaml:"namespace,omitempty"`
}

// renderer is an item of spec.postRenderers.
type renderer struct {
	Kustomize struct {
		Patches []innerItem `yaml:"patches"`
	} `yaml:"kustomize"`
}

// The lists of Flux's objects that patches go into.
const (
	patchesPath   = "/spec/patches"
	renderersPath = "/spec/postRenderers"
)

// operations returns the text of a patch that adds the inner patches to those of an object of Flux.
func (s *Stamps) operations() (string, error) {
	inner := make([]innerItem, len(s.Inner))
	for i := range s.Inner {
		one := &s.Inner[i]
		body, err := one.body()
		if err != nil {
			return "", err
		}
		inner[i] = innerItem{body, innerTarget{one.group(), one.Kind, expression(one.Name), expression(one.Namespace)}}
	}
	path, items := patchesPath, []any{}
	if s.Kind == "HelmRelease" {
		path = renderersPath
		var one renderer
		one.Kustomize.Patches = inner
		items = append(items, one)
	} else {
		for _, one := range inner {
			items = append(items, one)
		}
	}
	if !s.Appends {
		return encode([]operation{{"add", path, items}})
	}
	all := make([]operation, len(items))
	for i, item := range items {
		all[i] = operation{"add", path + "/-", item}
	}
	return encode(all)
}

// readOperations returns what a patch adds to the patches of the object that it is for, and whether it is one of ours:
// it adds nothing but patches of ours.
func readOperations(text string, target manifest.Node, prefix hashing.Prefix) (s *Stamps, ours bool) {
	body := []byte(text)
	if !prefix.MayBeIn(body) {
		return nil, false
	}
	d, err := manifest.Parse(body)
	if err != nil || d.End != len(text) || len(d.Duplicates()) > 0 || d.Root().IsMap() {
		return nil, false
	}
	s = &Stamps{APIVersion: target.Get("group").StringValue() + "/", Kind: target.Get("kind").StringValue(),
		Name:      nameOf(target.Get("name").StringValue()),
		Namespace: nameOf(target.Get("namespace").StringValue())}
	for op := range d.Root().Items() {
		path, appends := strings.CutSuffix(op.Get("path").StringValue(), "/-")
		s.Appends = appends
		if op.Get("op").StringValue() != "add" || !s.addInner(path, op.Get("value"), appends, prefix) {
			return nil, false
		}
	}
	return s, len(s.Inner) > 0
}

// addInner adds what an operation adds, and reports whether that is nothing but patches of ours.
func (s *Stamps) addInner(path string, value manifest.Node, one bool, prefix hashing.Prefix) bool {
	var items []manifest.Node
	if one {
		items = append(items, value)
	} else {
		items = slices.Collect(value.Items())
	}
	for _, item := range items {
		var l *list
		switch path {
		case patchesPath:
			inner, ours := readItem(item, prefix)
			if !ours {
				return false
			}
			s.Inner = append(s.Inner, *inner)
			continue
		case renderersPath:
			l = readList(prefix, item.Get("kustomize"), "patches")
		}
		if l == nil || l.length == 0 || len(l.ours) < l.length || item.Len() != 1 {
			return false
		}
		for _, e := range l.ours {
			s.Inner = append(s.Inner, *e.stamps)
		}
	}
	return true
}

// innerAfter is after for the inner patches.
func (s *Stamps) innerAfter(earlier *Stamps) *Stamps {
	out := *s
	out.Inner = slices.Clone(s.Inner)
	for i := range out.Inner {
		one := &out.Inner[i]
		before := slices.IndexFunc(earlier.Inner, func(e Stamps) bool { return e.id() == one.id() })
		if before >= 0 {
			out.Inner[i] = *one.after(&earlier.Inner[before])
		}
	}
	return &out
}

// Within returns the stamps that what applies the object is to have for it: a patch that adds the object's patches. It
// has to be in the render of what applies it, without what earlier patches added; name returns the name that it has
// where patches are applied. Where that render has namesakes of it, the patch is for its namespace.
func (w *Wanted) Within(render []byte, name func(string) string) (*Stamps, bool) {
	var out *Stamps
	namesakes := 0
	for d, err := range manifest.Documents(render, "") {
		if err != nil {
			return nil, false
		}
		for o := range d.Objects() {
			if !Takes(o) || o.Kind != w.Kind || o.Name != w.Name {
				continue
			}
			namesakes++
			if out != nil || o.Namespace != "" && o.Namespace != w.Namespace {
				continue
			}
			out = &Stamps{APIVersion: strings.Clone(o.APIVersion), Kind: w.Kind, Name: name(w.Name), Inner: w.Stamps,
				Appends: hasOthers(o, w.Prefix), namespace: strings.Clone(o.Namespace), rendered: w.Name}
		}
	}
	if out == nil {
		return nil, false
	}
	if namesakes > 1 {
		out.Namespace = cmp.Or(out.namespace, defaultNamespace)
	}
	out.namespace = w.Namespace
	return out, true
}

// hasOthers reports whether an object of Flux has patches that are not ours.
func hasOthers(o manifest.Object, prefix hashing.Prefix) bool {
	if o.Kind == "Kustomization" {
		l := readList(prefix, o.Node, "spec", "patches")
		return len(l.ours) < l.length
	}
	for item := range o.Node.At("spec", "postRenderers").Items() {
		l := readList(prefix, item.Get("kustomize"), "patches")
		if l.length == 0 || len(l.ours) < l.length || item.Len() != 1 {
			return true
		}
	}
	return false
}
