package lint

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// requiredOfSpec and requiredOfSource name the fields without which the API server refuses the items of a list, by the
// path of the list: the required fields of Argo CD's CustomResourceDefinitions.
var (
	requiredOfSpec = map[string][]string{
		"ignoreDifferences": {"kind"},
		"info":              {"name", "value"},
	}
	requiredOfSource = map[string][]string{
		"directory.jsonnet.extVars": {"name", "value"},
		"directory.jsonnet.tlas":    {"name", "value"},
		"kustomize.replicas":        {"name", "count"},
		"plugin.env":                {"name", "value"},
	}
)

// required reports items that lack a field, in a spec and in its sources.
func (c *checker) required(spec *yaml.Node, sources []*yaml.Node) {
	c.requiredIn(spec, "spec", requiredOfSpec)
	for _, s := range sources {
		c.requiredIn(s, "source", requiredOfSource)
	}
}

func (c *checker) requiredIn(n *yaml.Node, where string, lists map[string][]string) {
	for list, fields := range lists {
		for _, item := range items(get(n, strings.Split(list, ".")...)) {
			if item.Kind != yaml.MappingNode || c.wrong[item.Line+c.offset] {
				continue
			}
			for _, field := range fields {
				if key, value := entry(item, field); key == absent || isNull(resolve(value)) {
					f := c.report(diag.SourceRefused, item, "%s.%s[] has no %s, and the API server refuses it", where, list, field)
					f.Hint = ""
				}
			}
		}
	}
}
