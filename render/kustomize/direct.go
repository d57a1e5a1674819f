package kustomize

import (
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// direct is the application's kustomization with patches that name their object themselves, in place of targets.
//
// After each strategic merge patch that has a target, kustomize makes a new list of all objects, and compares each
// with all before it. Hundreds of such patches, as Flux's objects have them for stamps, take most of the time of a
// build. A patch without a target is merged into the one object that it names, and nothing else is looked at.
//
// So a target is left out where both mean the same: it selects one object alone, and the patch names that. The patch
// stays where it is among the others, so that what comes before and behind it is no matter. Which objects there are is
// known from the files, but not what patches and plugins make of their names. Therefore such a build counts only if it
// ends well and each of its objects was expected. In any other case the kustomization is built as it is written.
type direct struct {
	tree     *tree
	root     *kustomization
	expected []object              // as they are where the patches of the root are applied
	named    map[kindAndName][]int // indexes into expected, by their names then and in their files
	text     []byte                // of the kustomization
}

type kindAndName struct{ kind, name string }

// directCost is the number of comparisons from which on targets are left out: kustomize needs some milliseconds for as
// many.
const directCost = 200_000

// newDirect returns the kustomization of a plan, or nil where no target can be left out or fewer comparisons than a
// number are saved.
func newDirect(t *tree, p *plan, least int) *direct {
	patches := len(p.root.kust.Patches)
	if patches == 0 || len(p.withCharts) > 0 || p.ownSchema || t.overlay.HasTrees() || len(t.names.urls) > 0 {
		return nil
	}
	l := newLayout(readFiles{app: t.req.Path, system: files.OrDisk(t.req.Files), root: p.root, read: p.read})
	d := &direct{tree: t, root: p.root, named: map[kindAndName][]int{}}
	d.expected = l.collect(nil, p.root, visited{shown: l.app})
	if n := len(d.expected); patches*n*n < least {
		return nil
	}
	for i, o := range d.expected {
		d.index(kindAndName{o.kind, o.name}, i)
		if o.original != o.name {
			d.index(kindAndName{o.kind, o.original}, i)
		}
	}
	if !d.write() {
		return nil
	}
	return d
}

func (d *direct) index(name kindAndName, i int) { d.named[name] = append(d.named[name], i) }

// write writes the kustomization, and reports whether a target is left out and nothing else is changed.
func (d *direct) write() bool {
	k := d.root.kust
	k.Patches = slices.Clone(k.Patches)
	changed := false
	for i, p := range k.Patches {
		if text, ok := d.withoutTarget(p); ok {
			k.Patches[i], changed = types.Patch{Patch: text}, true
		}
	}
	if !changed {
		return false
	}
	text, err := yaml.Marshal(&k)
	var again types.Kustomization
	if err != nil || again.Unmarshal(text) != nil {
		return false
	}
	again.FixKustomization()
	d.text = text
	return reflect.DeepEqual(again, k)
}

// withoutTarget returns the text of a patch that does without a target what the patch does.
func (d *direct) withoutTarget(p types.Patch) (string, bool) {
	s := p.Target
	if s == nil || p.Patch == "" || p.Options != nil || s.LabelSelector != "" || s.AnnotationSelector != "" {
		return "", false
	}
	doc, err := manifest.Parse([]byte(p.Patch))
	if err != nil || !doc.Fast() || doc.End != len(p.Patch) || len(doc.Duplicates()) > 0 {
		return "", false
	}
	root, meta := doc.Root(), doc.Root().Get("metadata")
	for key := range meta.Entries() { // of others kustomize keeps what is null only without a target
		if name := key.Text(); name != "name" && name != "namespace" {
			return "", false
		}
	}
	group, version := resid.ParseGroupVersion(root.Get("apiVersion").StringValue())
	gvk := resid.NewGvk(group, version, root.Get("kind").StringValue())
	id := resid.NewResIdWithNamespace(gvk, meta.Get("name").StringValue(), meta.Get("namespace").StringValue())
	one := d.selected(s, id)
	if one == nil {
		return "", false
	}
	there := resid.NewResIdWithNamespace(gvk, id.Name, one.namespace)
	if there.IsNsEquals(id) {
		return p.Patch, true
	}
	edits, err := splice.Set(root, []string{"metadata", "namespace"}, one.namespace)
	if err != nil || one.namespace == "" {
		return "", false
	}
	return string(splice.Bytes([]byte(p.Patch), edits)), true
}

// selected returns the object that a selector selects, if there is one alone and it has the identity of the patch, but
// for its namespace.
func (d *direct) selected(s *types.Selector, patch resid.ResId) *object {
	kind, name := literal(s.Kind), literal(s.Name)
	match, err := types.NewSelectorRegex(s)
	if err != nil || kind == "" || kind != patch.Kind || name == "" || name != patch.Name {
		return nil
	}
	var one *object
	for _, i := range d.named[kindAndName{kind, name}] {
		o := &d.expected[i]
		gvk := resid.NewGvk(o.group, patch.Version, o.kind)
		isIn := func(namespace string) bool {
			return match.MatchNamespace(resid.NewResIdWithNamespace(gvk, name, namespace).EffectiveNamespace())
		}
		if !match.MatchGvk(gvk) || !isIn(o.own) && !isIn(o.namespace) {
			continue
		}
		if one != nil {
			return nil
		}
		one = o
	}
	if one == nil || one.group != patch.Group {
		return nil
	}
	return one
}

// literal returns the only text that a regular expression fits, or "" where it may fit others, or any.
func literal(expression string) string {
	text := strings.ReplaceAll(expression, `\.`, ".")
	if regexp.QuoteMeta(text) != expression {
		return ""
	}
	return text
}

// build returns the objects of the build, or false where they are not known to be those of the kustomization as it is
// written.
func (d *direct) build(opts krusty.Options) (rs []*resource.Resource, ok bool) {
	t := d.tree
	file := filepath.Join(d.root.dir, d.root.name)
	shown := &edited{path: file, text: d.text, plain: d.root.disk}
	if before := t.edited; before != nil {
		shown.path, shown.generated = before.path, before.generated
	} else if real, err := t.overlay.System().Real(file); err == nil {
		shown.path = real
	}
	defer func(before *edited) {
		t.edited = before
		if recover() != nil {
			rs, ok = nil, false
		}
	}(t.edited)
	t.edited = shown
	m, err := krusty.MakeKustomizer(&opts).Run(t, t.app)
	if err != nil {
		return nil, false
	}
	return m.Resources(), d.areExpected(m.Resources())
}

// areExpected reports whether each object of a build is one that the files let expect. Others may be gone.
func (d *direct) areExpected(rs []*resource.Resource) bool {
	expected, present := map[kindOfObject][]object{}, map[kindOfObject][]presentObject{}
	for _, o := range d.expected {
		o.rename(&d.root.kust)
		expected[o.kindOf()] = append(expected[o.kindOf()], o)
	}
	for i, r := range rs {
		id := r.CurId()
		kind := kindOfObject{id.Group, id.Kind}
		present[kind] = append(present[kind], presentObject{id.Name, id.Namespace, i})
	}
	for kind, all := range present {
		if match(all, expected[kind]) == nil {
			return false
		}
	}
	return true
}
