package kustomize

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/yaml"
)

// loads are entries of a kustomization that name something to read.
type loads []load

type load struct{ field, path string }

func (l *loads) add(field string, paths ...string) {
	for _, p := range paths {
		*l = append(*l, load{field, p})
	}
}

// folders lists the entries that kustomize takes for a file, a URL, a repository or a folder.
func (k *kustomization) folders() loads {
	var all loads
	all.add("resources", k.kust.Resources...)
	all.add("generators", k.kust.Generators...)
	all.add("components", k.kust.Components...)
	all.add("transformers", k.kust.Transformers...)
	all.add("validators", k.kust.Validators...)
	return all
}

// files lists the entries that kustomize takes for a file or a URL.
func (k *kustomization) files() loads {
	var all loads
	c := k.kust
	all.add("openapi", c.OpenAPI["path"])
	all.add("crds", c.Crds...)
	all.add("configurations", c.Configurations...)
	for _, g := range c.ConfigMapGenerator {
		all.add("configMapGenerator", slices.Concat(g.EnvSources, []string{g.EnvSource}, sourceFiles(g.FileSources))...)
	}
	for _, g := range c.SecretGenerator {
		all.add("secretGenerator", slices.Concat(g.EnvSources, []string{g.EnvSource}, sourceFiles(g.FileSources))...)
	}
	for _, p := range c.PatchesStrategicMerge {
		all.add("patchesStrategicMerge", string(p))
	}
	for _, p := range slices.Concat(c.Patches, c.PatchesJson6902) {
		all.add("patches", p.Path)
	}
	for _, r := range c.Replacements {
		all.add("replacements", r.Path)
	}
	return all
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
