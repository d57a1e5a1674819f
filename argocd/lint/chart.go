package lint

import (
	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// chartValues returns the mapping that is values of the chart argo-cd, possibly with a misspelt key: a whole document,
// or what a chart that has it as a dependency passes on. It is absent where there is none.
func (c *checker) chartValues(root *yaml.Node) *yaml.Node {
	switch {
	case root.Kind != yaml.MappingNode:
		return absent
	case c.areChartValues(root):
		return root
	}
	for i := 1; i < len(root.Content); i += 2 {
		if below := resolve(root.Content[i]); below.Kind == yaml.MappingNode && c.areChartValues(below) {
			return below
		}
	}
	return absent
}

func (c *checker) areChartValues(n *yaml.Node) bool {
	if has(n, "configs", "cmp") || has(n, "repoServer") {
		return true
	}
	for i := 0; i < len(n.Content); i += 2 {
		if nearly(n.Content[i].Value, []string{"configs", "repoServer"}) != "" && c.concernsUs(n) {
			return true
		}
	}
	return false
}

// chartValuesIn returns the values of the chart argo-cd that a document is, or passes on: what Argo CD, Flux or
// kustomize render a chart with.
func (c *checker) chartValuesIn(root *yaml.Node) (out []*yaml.Node) {
	var places []*yaml.Node
	spec := get(root, "spec")
	switch get(root, "kind").Value {
	case "":
		places = append(places, root)
	case "ApplicationSet":
		places = passedBy(get(spec, "template", "spec"))
	case "Application":
		places = passedBy(spec)
	case "HelmRelease":
		places = append(places, get(spec, "values"))
	}
	for _, chart := range items(get(root, "helmCharts")) {
		places = append(places, get(chart, "valuesInline"))
	}
	for _, place := range places {
		all := []*yaml.Node{place}
		if place.Kind == yaml.ScalarNode {
			all = c.embedded(place)
		}
		for _, n := range all {
			if values := c.chartValues(n); values != absent {
				out = append(out, values)
			}
		}
	}
	return out
}

// passedBy returns the values that the sources of an Application pass to a chart, natively or through the plugin.
func passedBy(spec *yaml.Node) (out []*yaml.Node) {
	for _, s := range append(items(get(spec, "sources")), get(spec, "source"), get(spec, "sourceHydrator", "drySource")) {
		out = append(out, get(s, "helm", "valuesObject"), get(s, "helm", "values"))
		for _, name := range []string{"values", "valuesObject"} {
			for _, p := range items(get(s, "plugin", "parameters")) {
				if get(p, "name").Value == name {
					out = append(out, get(p, "string"))
				}
			}
		}
	}
	return out
}

// values checks plugins and sidecars in values of the chart argo-cd of argoproj/argo-helm.
func (c *checker) values(root *yaml.Node) {
	outer := c.object
	c.inValues = true
	defer func() { c.object, c.inValues = outer, false }()
	if c.concernsUs(root) {
		c.check(root, chartShape, "", names)
	}
	plugins := get(root, "configs", "cmp", "plugins")
	create := get(root, "configs", "cmp", "create")
	if create != absent && len(plugins.Content) > 0 && create.Value != "true" &&
		!isFilledIn(create.Value) {
		c.report(diag.PluginValue, create, "configs.cmp.create is not true: the chart makes no ConfigMap of the plugins").
			Hint = "create: true"
	}
	for i := 0; i+1 < len(plugins.Content); i += 2 {
		name, spec, before := plugins.Content[i], resolve(plugins.Content[i+1]), len(c.findings)
		c.object = "ConfigManagementPlugin " + name.Value
		c.named(name.Value, spec)
		c.strict(spec, specShape, "spec")
		c.name(name, name.Value, get(spec, "version"))
		c.spec(spec, name)
		if !c.isOurs(name.Value, spec) {
			c.keepRefusals(before)
		}
	}
	c.object = outer
	for _, extra := range items(get(root, "extraObjects")) {
		c.document(extra)
	}
	server := get(root, "repoServer")
	c.containers(podSpec{
		containers: items(get(server, "extraContainers")), initContainers: items(get(server, "initContainers")),
		volumes: items(get(server, "volumes")), known: serverVolumes,
	})
}
