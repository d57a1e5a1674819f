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

	"github.com/rollstamp/rollstamp/render/kustomize/overlay"
)

// injection is what a build is shown so that kustomize sees rendered charts and what was fetched.
type injection struct {
	layer        overlay.Layer
	components   map[string]*component
	replacements map[string]map[string]string // see fetcher
	charted      map[chartsOf][]object
}

func newInjection(replacements map[string]map[string]string) *injection {
	return &injection{
		layer: overlay.Layer{Files: map[string][]byte{}, Mirrors: map[string]string{}, Shown: map[string][][]byte{},
			Hidden: konfig.RecognizedKustomizationFileNames()},
		components:   map[string]*component{},
		replacements: replacements,
		charted:      map[chartsOf][]object{},
	}
}

// show prepares one reading of a kustomization with charts.
func (in *injection) show(k *kustomization, v visit, charts [][]byte) error {
	first := slices.IndexFunc(k.generators, func(g generator) bool { return g.chart != nil || g.part })
	var components []string
	for rest := k.generators[first:]; len(rest) > 0; {
		end := slices.IndexFunc(rest, func(g generator) bool {
			return (g.chart == nil) != (rest[0].chart == nil) ||
				g.part != rest[0].part
		})
		if end < 0 {
			end = len(rest)
		}
		dir := filepath.Join(filepath.Dir(k.dir), fmt.Sprint(componentName, len(in.components)))
		c := &component{of: k, origin: v.origin}
		kust := types.Kustomization{TypeMeta: types.TypeMeta{APIVersion: types.ComponentVersion, Kind: types.ComponentKind}}
		for i, g := range rest[:end] {
			c.generators = append(c.generators, g)
			name := fmt.Sprint(generatorName, i)
			switch {
			case g.chart != nil:
				in.layer.Files[filepath.Join(dir, name)], charts = charts[0], charts[1:]
				kust.Resources = append(kust.Resources, name)
			case g.part:
				in.layer.Files[filepath.Join(dir, name)] = []byte(g.entry)
				kust.Generators = append(kust.Generators, name)
			default:
				kust.Generators = append(kust.Generators, g.entry)
			}
		}
		text, err := json.Marshal(kust)
		if err != nil {
			return err
		}
		in.layer.Files[filepath.Join(dir, konfig.DefaultKustomizationFileName())] = text
		in.components[dir], in.layer.Mirrors[dir] = c, k.dir
		components = append(components, "../"+filepath.Base(dir))
		rest = rest[end:]
	}
	return in.showText(k, k.generators[:first], components)
}

// showText prepares one reading of a kustomization.
func (in *injection) showText(k *kustomization, generators []generator, components []string) error {
	text, err := in.text(k, generators, components)
	if err != nil {
		return k.errorf("", "prepare kustomization: %w", err)
	}
	file := filepath.Join(k.dir, k.name)
	in.layer.Shown[file] = append(in.layer.Shown[file], text)
	return nil
}

// text returns the kustomization's text without charts, with these generators, with more components before its own, and
// with what was fetched in place of URLs. All else stays as it is.
func (in *injection) text(k *kustomization, generators []generator, components []string) ([]byte, error) {
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
	for name, list := range map[string][]string{"generators": entries,
		"components": append(components, k.kust.Components...)} {
		if fields[name], err = json.Marshal(list); err != nil {
			return nil, err
		}
	}
	if len(in.replacements[k.dir]) == 0 {
		return json.Marshal(fields)
	}
	for name, raw := range fields {
		var v any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		if fields[name], err = json.Marshal(relocate(v, name, in.replacements[k.dir])); err != nil {
			return nil, err
		}
	}
	return json.Marshal(fields)
}

// relocate puts local paths in place of what was fetched, in the fields that name files and folders.
func relocate(v any, field string, replacements map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			v[name] = relocate(e, name, replacements)
		}
	case []any:
		for i, e := range v {
			v[i] = relocate(e, field, replacements)
		}
	case string:
		switch strings.ToLower(field) {
		case "resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators",
			"patchesstrategicmerge", "path", "env", "envs":
			return cmp.Or(replacements[v], v)
		case "files":
			key, file, ok := strings.Cut(v, "=")
			if !ok {
				key, file = path.Base(v), v
			}
			if local := replacements[file]; local != "" {
				return key + "=" + local
			}
		}
	}
	return v
}
