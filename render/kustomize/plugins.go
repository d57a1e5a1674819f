package kustomize

import (
	"cmp"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resource"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// plugins follows the entries of generators, transformers and validators. An entry is the configuration of a plugin, or
// the path of a file with such, or of a kustomization that makes such. What is in it is looked at the first time only.
func (w *walker) plugins(k *kustomization, v visit, field string, entries []string, seen bool) error {
	for _, entry := range entries {
		where := inline
		rs, err := parse([]byte(entry))
		if err != nil {
			where = inFile
			path := filepath.Join(k.dir, entry)
			if _, name, err := w.tree.CleanedAbs(path); err != nil || name == "" {
				if err := w.configs(k, v, field, entry, seen); err != nil {
					return err
				}
				continue
			}
			b, err := w.tree.ReadFile(path)
			if err != nil {
				return k.errorf(entry, "read %q of %s: %w", entry, field, files.Cause(err))
			}
			if rs, err = parse(b); err != nil {
				rs = nil // kustomize says what is wrong with it
			}
		}
		if seen {
			continue
		}
		if err := w.gate.checkPlugins(k, field, entry, rs); err != nil {
			return err
		}
		if field == "generators" {
			if err := k.addGenerators(entry, where, rs); err != nil {
				return err
			}
		}
	}
	// kustomize runs inline ones before those in files.
	slices.SortStableFunc(k.generators, func(a, b generator) int { return cmp.Compare(a.form, b.form) })
	return nil
}

// configs follows an entry that is a kustomization.
func (w *walker) configs(k *kustomization, v visit, field, entry string, seen bool) error {
	if w.gate.isRemote(k, entry) {
		return k.errorf(entry, "fetch %s of %s: the configuration of plugins is not fetched", remote.Shown(entry), field)
	}
	w.config++
	err := w.folder(k, v, field, entry)
	w.config--
	if err != nil || seen {
		return err
	}
	w.plan.configs = append(w.plan.configs, configFolder{filepath.Join(k.dir, entry), k, field, entry})
	if field == "generators" {
		k.generators = append(k.generators, generator{entry: entry, form: inFile})
	}
	return nil
}

// addGenerators separates charts from other generators in an entry of generators. An entry with both is taken apart.
func (k *kustomization) addGenerators(entry string, where form, rs []*resource.Resource) error {
	file := k.name
	if where == inFile {
		file = entry
	}
	var all []generator
	charts := 0
	for _, r := range rs {
		c, err := chartOf(r, k, entry)
		if err != nil {
			return err
		}
		g := generator{chart: c, form: where, file: file}
		if c == nil {
			text, err := r.AsYAML()
			if err != nil {
				return k.errorf(entry, "read %s %s: %w", r.GetKind(), r.GetName(), err)
			}
			g.entry, g.part = string(text), true
		} else {
			charts++
		}
		all = append(all, g)
	}
	if charts == 0 {
		all = []generator{{entry: entry, form: where, file: file}}
	}
	k.generators = append(k.generators, all...)
	return nil
}

// checkConfigs builds the plugin configurations that lie in kustomizations, as kustomize will, to see what they ask for.
func (p *plan) checkConfigs(t *tree, opts *krusty.Options) error {
	for _, c := range p.configs {
		m, err := krusty.MakeKustomizer(opts).Run(t, c.dir)
		if err != nil {
			return failures{t, p.read}.of(err)
		}
		if err := (gate{t}).checkPlugins(c.of, c.field, c.entry, m.Resources()); err != nil {
			return err
		}
		if slices.ContainsFunc(m.Resources(), func(r *resource.Resource) bool { return r.GetKind() == chartKind }) {
			return c.of.errorf(c.entry, "load %q of %s: a %s has to be in a file of its own", c.entry, c.field, chartKind)
		}
	}
	return nil
}

// parse reads resources as kustomize does. Nothing in it asks kyaml's schema, so it may run at any time.
func parse(b []byte) ([]*resource.Resource, error) {
	return provider.NewDepProvider().GetResourceFactory().SliceFromBytes(b)
}
