package kustomize

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
	k8syaml "sigs.k8s.io/yaml"
)

// mergedValues joins valuesInline with the values file own, step by step as kustomize does: its merge drops null values
// and prints numbers in its own way.
func (t *tree) mergedValues(c *chart, own string) ([]byte, error) {
	if c.ValuesMerge == mergeNot {
		return k8syaml.Marshal(c.ValuesInline)
	}
	_, text, err := t.load(c.of, own)
	if err != nil {
		return nil, err
	}
	file, err := yaml.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", t.shown(own), err)
	}
	inline, err := yaml.FromMap(c.ValuesInline)
	if err != nil {
		return nil, err
	}
	over, under := inline, file
	if c.ValuesMerge == mergeInto {
		over, under = file, inline
	}
	merged, err := merge2.Merge(over, under, yaml.MergeOptions{})
	if err != nil {
		return nil, err
	}
	values, err := merged.Map()
	if err != nil {
		return nil, err
	}
	return k8syaml.Marshal(values)
}
