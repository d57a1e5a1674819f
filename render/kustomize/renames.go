package kustomize

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
)

// renames are the kinds whose objects may get other names, in ways that a layout does not follow. Patches that merge
// keep kind and name, unless an option says otherwise.
type renames struct {
	readFiles
	all   bool
	kinds map[string]bool
}

// newRenames reads the patches and replacements of all kustomizations.
func newRenames(f readFiles) *renames {
	r := &renames{readFiles: f, kinds: map[string]bool{}}
	for _, k := range f.read {
		r.all = r.all || len(k.kust.Transformers) > 0
		for _, p := range slices.Concat(k.kust.Patches, k.kust.PatchesJson6902) {
			r.patch(k, p)
		}
		for _, replacement := range k.kust.Replacements {
			r.replacement(k, replacement)
		}
	}
	return r
}

// has reports whether an object of a kind may have another name.
func (r *renames) has(kind string) bool { return r.all || r.kinds[kind] }

// add adds what a selector may select. Kinds there are regular expressions.
func (r *renames) add(s *types.Selector) {
	if s == nil || s.Kind == "" || regexp.QuoteMeta(s.Kind) != s.Kind {
		r.all = true
		return
	}
	r.kinds[s.Kind] = true
}

// patch looks at the options of a patch and, where it is a list of operations, at what these change.
func (r *renames) patch(k *kustomization, p types.Patch) {
	if p.Options != nil && (p.Options.AllowNameChange || p.Options.AllowKindChange) {
		r.all = true
	}
	text := []byte(p.Patch)
	if p.Path != "" {
		text = r.text(k, p.Path)
	}
	doc, err := manifest.Parse(text)
	if err != nil {
		r.all = true
		return
	}
	for operation := range doc.Root().Items() {
		r.changes(p.Target, strings.Split(strings.Trim(operation.Get("path").Text(), "/"), "/"))
	}
}

// replacement looks at where a replacement writes.
func (r *renames) replacement(k *kustomization, field types.ReplacementField) {
	all := []types.Replacement{field.Replacement}
	if field.Path != "" {
		text := r.text(k, field.Path)
		var one types.Replacement
		if yaml.Unmarshal(text, &all) != nil && yaml.Unmarshal(text, &one) != nil {
			r.all = true
		}
		all = append(all, one)
	}
	for _, one := range all {
		for _, t := range one.Targets {
			if t == nil {
				continue
			}
			for _, path := range t.FieldPaths {
				r.changes(t.Select, strings.Split(path, "."))
			}
		}
	}
}

// changes notes that a field of the objects that a selector selects may be changed.
func (r *renames) changes(s *types.Selector, path []string) {
	switch strings.Join(path, ".") {
	case "metadata.name":
		r.add(s)
	case "", "apiVersion", "kind", "metadata":
		r.all = true
	}
}

// text returns a file that a kustomization names; nil where it cannot be read, which then has no patch in it.
func (r *renames) text(k *kustomization, path string) []byte {
	text, err := r.system.ReadFile(filepath.Join(k.dir, path))
	if err != nil {
		r.all = true
	}
	return text
}
