package kustomize

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/rollstamp/rollstamp/manifest"
)

// layout follows kustomizations in kustomize's order and collects their objects, under the names that they have in the
// build. Of what changes objects it knows namespaces, prefixes, suffixes and hashes.
type layout struct {
	readFiles
	seen map[string][]object // of the files that were read, as they are in there
}

func newLayout(f readFiles) layout { return layout{f, make(map[string][]object)} }

// all returns the objects of the whole build.
func (l layout) all() []object { return l.add(nil, l.root, visited{shown: l.app}) }

// visited is how a kustomization is come by.
type visited struct {
	shown     string // its folder, as the user would write it
	namespace string // that the nearest kustomization above it sets
}

// add adds the objects of a kustomization. What a component changes is what there is already, too.
func (l layout) add(to []object, k *kustomization, v visited) []object {
	to = l.collect(to, k, v)
	for i := range to {
		to[i].rename(&k.kust)
	}
	return to
}

// collect adds the objects of a kustomization as its own transformers find them.
func (l layout) collect(to []object, k *kustomization, v visited) []object {
	below := func(entry string) visited {
		return visited{filepath.Join(v.shown, entry), cmp.Or(k.kust.Namespace, v.namespace)}
	}
	for _, entry := range k.kust.Resources {
		path := k.path(entry)
		if rel, err := filepath.Rel(k.dir, path); err == nil && filepath.IsAbs(entry) {
			entry = rel
		}
		if base := l.kustomization(path); base != nil {
			to = append(to, l.add(nil, base, below(entry))...)
			continue
		}
		for _, o := range l.file(path) {
			o.file = filepath.Join(v.shown, entry)
			to = append(to, o)
		}
	}
	to = generate(to, k, filepath.Join(v.shown, k.name))
	for _, o := range l.charted[chartsOf{k.dir, v.namespace}] {
		o.file = filepath.Join(v.shown, o.file)
		to = append(to, o)
	}
	for _, entry := range k.kust.Components {
		if component := l.kustomization(filepath.Join(k.dir, entry)); component != nil {
			to = l.add(to, component, below(entry))
		}
	}
	return to
}

// kustomization returns the one in a folder, or nil.
func (l layout) kustomization(dir string) *kustomization {
	if k := l.read[dir]; k != nil {
		return k
	}
	real, err := l.system.Real(dir)
	if err != nil {
		return nil // a file that is gone, or what lies elsewhere
	}
	return l.read[real]
}

// file returns the objects in a file, or none where it cannot be read.
func (l layout) file(path string) []object {
	all, known := l.seen[path]
	if known {
		return all
	}
	text, err := l.system.ReadFile(path)
	if err == nil {
		all = objectsOf(text)
	}
	l.seen[path] = all
	return all
}

func objectsOf(text []byte) []object {
	var all []object
	lines := manifest.NewLines(text)
	for doc, err := range manifest.Documents(text, "") {
		if err != nil {
			return nil
		}
		for o := range doc.Objects() {
			one := object{group: o.Group(), kind: o.Kind, name: o.Name, original: o.Name, own: o.Namespace,
				namespace: o.Namespace}
			if kind := o.Node.Get("kind"); kind.Valid() {
				one.line = lines.At(kind.Offset())
			}
			if o.Annotation(needsHash) == "true" {
				one.hash = always
			}
			all = append(all, one)
		}
	}
	return all
}

// needsHash is the annotation by which the name of an object in a file ends in a hash.
const needsHash = "kustomize.config.k8s.io/needs-hash"

// generate adds the ConfigMaps and Secrets that a kustomization generates.
func generate(to []object, k *kustomization, file string) []object {
	for _, g := range k.kust.ConfigMapGenerator {
		to = generateOne(to, k, "ConfigMap", &g.GeneratorArgs, file)
	}
	for _, g := range k.kust.SecretGenerator {
		to = generateOne(to, k, "Secret", &g.GeneratorArgs, file)
	}
	return to
}

func generateOne(to []object, k *kustomization, kind string, g *types.GeneratorArgs, file string) []object {
	one := object{kind: kind, name: g.Name, original: g.Name, own: g.Namespace, namespace: g.Namespace, file: file,
		hash: always}
	options := types.MergeGlobalOptionsIntoLocal(g.Options, k.kust.GeneratorOptions)
	if options != nil && options.DisableNameSuffixHash {
		one.hash = never
	}
	behavior := types.NewGenerationBehavior(g.Behavior)
	if behavior != types.BehaviorMerge && behavior != types.BehaviorReplace {
		return append(to, one)
	}
	old := objectsByName(to, kind, func(o *object) bool { return o.name == g.Name || o.original == g.Name })
	if len(old) != 1 { // kustomize knows names in between, too
		old = objectsByName(to, kind, func(o *object) bool { return strings.Contains(o.name, g.Name) })
		one.file, one.hash = "", perhaps
	}
	for _, o := range old {
		o.hash = one.hash
		if behavior == types.BehaviorReplace {
			o.file, o.line = one.file, 0
		}
	}
	return to
}

// objectsByName returns the ConfigMaps or Secrets that have a name.
func objectsByName(all []object, kind string, isNamed func(*object) bool) []*object {
	var named []*object
	for i := range all {
		if o := &all[i]; o.kind == kind && o.group == "" && isNamed(o) {
			named = append(named, o)
		}
	}
	return named
}

// rename changes the namespace and name as a kustomization asks for it.
func (o *object) rename(k *types.Kustomization) {
	if k.Namespace != "" && !o.charted {
		o.namespace = k.Namespace
		if o.kind == types.NamespaceKind && o.group == "" {
			o.name = k.Namespace
		}
	}
	unnamed := slices.Contains([]string{"CustomResourceDefinition", types.NamespaceKind}, o.kind) ||
		o.kind == "APIService" && o.group == "apiregistration.k8s.io"
	if !unnamed {
		o.name = k.NamePrefix + o.name + k.NameSuffix
	}
}
