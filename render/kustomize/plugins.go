package kustomize

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
)

// plugins follows the entries of generators, transformers and validators. An entry is the configuration of a plugin, or
// the path of a file with such, or of a kustomization that makes such.
func (w *walker) plugins(k *kustomization, field string, entries []string) error {
	for _, entry := range entries {
		rs, err := parse([]byte(entry))
		if err == nil {
			if err := w.tree.checkPlugins(k, field, entry, rs); err != nil {
				return err
			}
			continue
		}
		path := filepath.Join(k.dir, entry)
		if _, file, err := w.tree.CleanedAbs(path); err != nil || file == "" {
			dir, err := w.folder(k, field, entry)
			if err != nil {
				return err
			}
			w.plan.configs = append(w.plan.configs, configFolder{dir, k, field, entry})
			continue
		}
		b, err := w.tree.ReadFile(path)
		if err != nil {
			return k.errorf(entry, "read %q of %s: %w", entry, field, pathless(err))
		}
		if rs, err = parse(b); err != nil {
			continue // kustomize says what is wrong with it
		}
		if err := w.tree.checkPlugins(k, field, entry, rs); err != nil {
			return err
		}
	}
	return nil
}

// checkConfigs makes the plugin configurations that lie in kustomizations, as kustomize will, to see what they ask for.
func (p *plan) checkConfigs(t *tree, opts *krusty.Options) error {
	for _, c := range p.configs {
		m, err := krusty.MakeKustomizer(opts).Run(t, c.dir)
		if err != nil {
			return t.failure(err)
		}
		if err := t.checkPlugins(c.of, c.field, c.entry, m.Resources()); err != nil {
			return err
		}
	}
	return nil
}

// parse reads resources as kustomize does.
func parse(b []byte) ([]*resource.Resource, error) {
	m, err := resmap.NewFactory(provider.NewDepProvider().GetResourceFactory()).NewResMapFromBytes(b)
	if err != nil {
		return nil, err
	}
	return m.Resources(), nil
}

// checkPlugins refuses plugins that run programs, and built-in ones that would fetch something, unless that is allowed.
func (t *tree) checkPlugins(k *kustomization, field, entry string, rs []*resource.Resource) error {
	for _, r := range rs {
		id := r.GetKind() + " " + r.GetName()
		if g := r.GetGvk(); g.Group != "" || g.Version != konfig.BuiltinPluginApiVersion {
			if err := t.checkProgram(k, field, entry, id); err != nil {
				return err
			}
			continue
		}
		for _, path := range pluginFiles(r) {
			if isURL(path) {
				return t.remote(k, entry, id, path)
			}
		}
	}
	return nil
}

// checkProgram decides on a plugin that is not kustomize's own: another program, in a container or on this machine.
func (t *tree) checkProgram(k *kustomization, field, entry, id string) error {
	switch {
	case !t.req.Allow.ExecPlugins:
		return diag.Input(k.at(entry), fmt.Errorf("load %s of %s: it runs another program, which is not allowed", id, field),
			"Allow it with --allow exec-plugins and --enable-alpha-plugins, if you trust what is in this folder.")
	case !t.req.Kustomize.EnableAlphaPlugin:
		return diag.Input(k.at(entry), fmt.Errorf("load %s of %s: %w", id, field, errors.New("plugins are not enabled")),
			"Pass --enable-alpha-plugins, and --enable-exec for an exec function.")
	default:
		return nil
	}
}

// pluginFiles lists what a built-in plugin loads. What the plugin itself will not understand loads nothing.
func pluginFiles(r *resource.Resource) []string {
	var c struct {
		Path         string
		Paths        []string
		Env          string
		Envs         []string
		Files        []string
		Replacements []struct{ Path string }
	}
	text, err := r.AsYAML()
	if err != nil || yaml.Unmarshal(text, &c) != nil {
		return nil
	}
	all := slices.Concat([]string{c.Path, c.Env}, c.Paths, c.Envs, sourceFiles(c.Files))
	for _, p := range c.Replacements {
		all = append(all, p.Path)
	}
	return all
}

// sourceFiles drops the keys of KEY=FILE.
func sourceFiles(sources []string) []string {
	files := slices.Clone(sources)
	for i, s := range files {
		if _, file, ok := strings.Cut(s, "="); ok {
			files[i] = file
		}
	}
	return files
}
