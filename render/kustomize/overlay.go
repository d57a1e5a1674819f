package kustomize

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	k8syaml "sigs.k8s.io/yaml"
)

// overlay is what a build sees in place of files on disk, or besides them.
type overlay struct {
	files   map[string][]byte     // by absolute path
	folders map[string]*component // by absolute path
	kusts   map[string]*texts     // by the absolute path of a kustomization file
}

// component is a folder that does not exist: beside a kustomization's folder, and a mirror of it except for its own files.
type component struct {
	of         *kustomization
	origin     string // of the kustomization, as buildMetadata gives it
	generators []generator
}

// texts are what is shown for a kustomization at its first, second, ... reading.
type texts struct {
	all  [][]byte
	read int
}

func newOverlay() *overlay {
	return &overlay{make(map[string][]byte), make(map[string]*component), make(map[string]*texts)}
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
	text, err := k.with(k.generators[:first], components)
	if err != nil {
		return err
	}
	path := filepath.Join(k.dir, k.name)
	if o.kusts[path] == nil {
		o.kusts[path] = &texts{}
	}
	o.kusts[path].all = append(o.kusts[path].all, text)
	return nil
}

// with gives the kustomization's text without charts, with these generators, and with more components before its own.
// All other fields stay as they were written.
func (k *kustomization) with(generators []generator, components []string) ([]byte, error) {
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
	return json.Marshal(fields)
}

// text gives what is shown for a path instead of the disk.
func (o *overlay) text(path string) ([]byte, bool) {
	if text, ok := o.files[path]; ok {
		return text, true
	}
	t := o.kusts[path]
	if t == nil {
		return nil, false
	}
	t.read++
	return t.all[min(t.read, len(t.all))-1], true
}

// behind gives the path on disk that a path in a component's folder mirrors, and the component's folder; or the path itself.
// It gives no path where nothing is: a component has only its own kustomization.
func (o *overlay) behind(path string) (disk, folder string) {
	for dir, c := range o.folders {
		if !within(dir, path) {
			continue
		}
		if filepath.Dir(path) == dir && slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path)) {
			return "", dir
		}
		return c.of.dir + strings.TrimPrefix(path, dir), dir
	}
	return path, ""
}

// component gives the component that a relative path leads into, and the path from there.
func (o *overlay) component(path string) (c *component, rest string) {
	for dir, c := range o.folders {
		name := filepath.Base(dir) + "/"
		if i := strings.Index(path, name); i == 0 || i > 0 && path[i-1] == '/' {
			return c, path[i+len(name):]
		}
	}
	return nil, ""
}

// trueOrigin gives an object the origin that it has without components: the chart's entry, or the moved generator.
func (o *overlay) trueOrigin(r *resource.Resource) error {
	origin, err := r.GetOrigin()
	if err != nil || origin == nil {
		return err
	}
	if c, rest := o.component(origin.Path); c != nil {
		g := c.generator(rest)
		origin.Path = ""
		origin.ConfiguredIn = filepath.Join(c.origin, g.file)
		origin.ConfiguredBy = g.chart.plugin
		return r.SetOrigin(origin)
	}
	if c, rest := o.component(origin.ConfiguredIn); c != nil {
		if g := c.generator(rest); g != nil {
			rest = g.file
		} else if rest == konfig.DefaultKustomizationFileName() {
			rest = c.of.name
		}
		origin.ConfiguredIn = filepath.Join(c.origin, rest)
		return r.SetOrigin(origin)
	}
	return nil
}

// generator gives the one that a file of the component belongs to, or nil.
func (c *component) generator(file string) *generator {
	for i := range c.generators {
		if file == fmt.Sprint(generatorName, i) {
			return &c.generators[i]
		}
	}
	return nil
}

// plain takes the components' names out of a text.
func (o *overlay) plain(text string) string {
	for dir, c := range o.folders {
		text = strings.ReplaceAll(text, dir, c.of.dir)
		text = strings.ReplaceAll(text, "../"+filepath.Base(dir), ".")
	}
	return text
}
