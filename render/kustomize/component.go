package kustomize

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	k8syaml "sigs.k8s.io/yaml"
)

// component is a folder that does not exist: beside a kustomization's folder, and a mirror of it except for its own files.
type component struct {
	of         *kustomization
	origin     place // of the kustomization
	generators []generator
}

const (
	componentName = "~rollstamp-"
	generatorName = "~generator-"
)

// show prepares one reading of a kustomization with charts.
func (o *overlay) show(k *kustomization, v visit, charts [][]byte) error {
	first := slices.IndexFunc(k.generators, func(g generator) bool { return g.chart != nil || g.part })
	var components []string
	for rest := k.generators[first:]; len(rest) > 0; {
		end := slices.IndexFunc(rest, func(g generator) bool { return (g.chart == nil) != (rest[0].chart == nil) || g.part != rest[0].part })
		if end < 0 {
			end = len(rest)
		}
		dir := filepath.Join(filepath.Dir(k.dir), fmt.Sprint(componentName, len(o.folders)))
		c := &component{of: k, origin: v.origin}
		kust := types.Kustomization{TypeMeta: types.TypeMeta{APIVersion: types.ComponentVersion, Kind: types.ComponentKind}}
		for i, g := range rest[:end] {
			c.generators = append(c.generators, g)
			name := fmt.Sprint(generatorName, i)
			switch {
			case g.chart != nil:
				o.files[filepath.Join(dir, name)], charts = charts[0], charts[1:]
				kust.Resources = append(kust.Resources, name)
			case g.part:
				o.files[filepath.Join(dir, name)] = []byte(g.entry)
				kust.Generators = append(kust.Generators, name)
			default:
				kust.Generators = append(kust.Generators, g.entry)
			}
		}
		text, err := json.Marshal(kust)
		if err != nil {
			return err
		}
		o.files[filepath.Join(dir, konfig.DefaultKustomizationFileName())] = text
		o.folders[dir] = c
		components = append(components, "../"+filepath.Base(dir))
		rest = rest[end:]
	}
	return o.showText(k, k.generators[:first], components)
}

// showText prepares one reading of a kustomization.
func (o *overlay) showText(k *kustomization, generators []generator, components []string) error {
	text, err := o.written(k, generators, components)
	if err != nil {
		return k.errorf("", "prepare kustomization: %w", err)
	}
	file := filepath.Join(k.dir, k.name)
	if o.kusts[file] == nil {
		o.kusts[file] = &texts{}
	}
	o.kusts[file].all = append(o.kusts[file].all, text)
	return nil
}

// written returns the kustomization's text without charts, with these generators, with more components before its own, and
// with what was fetched in place of URLs. All else stays as it is.
func (o *overlay) written(k *kustomization, generators []generator, components []string) ([]byte, error) {
	text, err := k8syaml.YAMLToJSON(k.raw)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for name := range fields { // kustomize, too, does not mind capitals
		switch strings.ToLower(name) {
		case "helmcharts", "helmglobals", "helmchartinflationgenerator", "generators", "components":
			delete(fields, name)
		}
	}
	entries := make([]string, len(generators))
	for i, g := range generators {
		entries[i] = g.entry
	}
	for name, list := range map[string][]string{"generators": entries, "components": append(components, k.kust.Components...)} {
		if fields[name], err = json.Marshal(list); err != nil {
			return nil, err
		}
	}
	if len(o.instead[k.dir]) == 0 {
		return json.Marshal(fields)
	}
	for name, raw := range fields {
		var v any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		if fields[name], err = json.Marshal(relocated(v, name, o.instead[k.dir])); err != nil {
			return nil, err
		}
	}
	return json.Marshal(fields)
}

// relocated puts local paths in place of what was fetched, in the fields that name files and folders.
func relocated(v any, field string, instead map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			v[name] = relocated(e, name, instead)
		}
	case []any:
		for i, e := range v {
			v[i] = relocated(e, field, instead)
		}
	case string:
		switch strings.ToLower(field) {
		case "resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators",
			"patchesstrategicmerge", "path", "env", "envs":
			return cmp.Or(instead[v], v)
		case "files":
			key, file, ok := strings.Cut(v, "=")
			if !ok {
				key, file = path.Base(v), v
			}
			if local := instead[file]; local != "" {
				return key + "=" + local
			}
		}
	}
	return v
}

// generator returns the one that a file of the component belongs to, or nil.
func (c *component) generator(file string) *generator {
	for i := range c.generators {
		if file == fmt.Sprint(generatorName, i) {
			return &c.generators[i]
		}
	}
	return nil
}
