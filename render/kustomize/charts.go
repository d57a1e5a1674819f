package kustomize

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	k8syaml "sigs.k8s.io/yaml"
)

// chartKind is the kind of a generator's configuration that asks for a chart.
const chartKind = "HelmChartInflationGenerator"

// charts lists the entries of helmCharts, and of the older field that kustomize moves there.
func (k *kustomization) charts() []generator {
	all := make([]generator, len(k.kust.HelmCharts))
	for i, h := range k.kust.HelmCharts {
		c := &chart{HelmChart: h, of: k, entry: h.Name,
			plugin: yaml.ResourceIdentifier{TypeMeta: yaml.TypeMeta{APIVersion: "builtin", Kind: chartKind}}}
		if k.kust.HelmGlobals != nil {
			c.HelmGlobals = *k.kust.HelmGlobals
		}
		all[i] = generator{chart: c, file: k.name}
	}
	return all
}

// chartOf reads a generator's configuration, or returns nil where it asks for no chart.
func chartOf(r *resource.Resource, k *kustomization, entry string) (*chart, error) {
	if r.GetApiVersion() != konfig.BuiltinPluginApiVersion || r.GetKind() != chartKind {
		return nil, nil
	}
	var c struct {
		types.HelmGlobals
		types.HelmChart
	}
	text, err := r.AsYAML()
	if err == nil {
		err = k8syaml.Unmarshal(text, &c)
	}
	if err != nil {
		return nil, k.unreadable(entry, chartKind, r.GetName(), err)
	}
	return &chart{HelmGlobals: c.HelmGlobals, HelmChart: c.HelmChart, of: k, entry: entry, plugin: yaml.ResourceIdentifier{
		TypeMeta: yaml.TypeMeta{APIVersion: r.GetApiVersion(), Kind: r.GetKind()},
		NameMeta: yaml.NameMeta{Name: r.GetName(), Namespace: r.GetNamespace()},
	}}, nil
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
				return k.unreadable(entry, r.GetKind(), r.GetName(), err)
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

// files lists what the chart's entry names to be read.
func (c *chart) files() []string { return append([]string{c.ValuesFile}, c.AdditionalValuesFiles...) }

// home is the folder that holds the chart's folder.
func (c *chart) home() string {
	home := c.ChartHome
	if home == "" {
		home = types.HelmDefaultHome
	}
	if !filepath.IsAbs(home) {
		home = filepath.Join(c.of.dir, home)
	}
	if c.Version != "" && c.Repo != "" { // where kustomize puts what it fetched
		return filepath.Join(home, c.Name+"-"+c.Version)
	}
	return home
}

// check refuses what kustomize refuses: names that helm would take for flags, and unknown words.
func (c *chart) check() error {
	switch {
	case c.Name == "":
		return c.errorf("chart name cannot be empty")
	case strings.HasPrefix(c.Name, "-"):
		return c.errorf("chart name must not start with '-'")
	case strings.HasPrefix(c.ReleaseName, "-"):
		return c.errorf("releaseName must not start with '-'")
	case c.ReleaseName != "" && c.NameTemplate != "":
		return c.errorf("both releaseName and nameTemplate")
	case !slices.Contains([]string{"", mergeInto, mergeOver, mergeNot}, c.ValuesMerge):
		return c.errorf("valuesMerge is none of %s, %s, %s", mergeInto, mergeOver, mergeNot)
	default:
		return nil
	}
}

func (c *chart) errorf(format string, args ...any) error {
	return c.of.errorf(c.entry, "render chart %s: %w", c.Name, fmt.Errorf(format, args...))
}

// The ways to join valuesInline with a values file.
const (
	mergeInto = "merge"    // the file wins
	mergeOver = "override" // valuesInline wins; the default
	mergeNot  = "replace"  // valuesInline alone
)
