package lint

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// nested checks manifests that are text inside a manifest: the patches and literals of a kustomization, the files of a
// ConfigMap.
func (c *checker) nested(root *yaml.Node, kind string) {
	switch kind {
	case "List":
		for _, item := range items(get(root, "items")) {
			c.document(item)
		}
	case "ConfigMap":
		data := get(root, "data")
		for i := 1; i < len(data.Content); i += 2 {
			c.embedded(resolved(data.Content[i]), "")
		}
	default:
		for _, p := range items(get(root, "patches")) {
			c.embedded(get(p, "patch"), "")
		}
		for _, p := range items(get(root, "patchesStrategicMerge")) {
			c.embedded(p, "")
		}
		for _, g := range items(get(root, "configMapGenerator")) {
			for _, literal := range items(get(g, "literals")) {
				c.embedded(literal, "=")
			}
		}
	}
}

// embedded checks a text that looks like a manifest to check, after the first cut if there is one. A text that cannot
// be read is skipped.
func (c *checker) embedded(n *yaml.Node, cut string) {
	text := n.Value
	if cut != "" {
		_, text, _ = strings.Cut(text, cut)
	}
	if !strings.Contains(text, "ConfigManagementPlugin") && !strings.Contains(text, "kind: Deployment") {
		return
	}
	line := n.Line + c.offset - 1
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		line++ // the text begins on the line after the indicator
	}
	before := len(c.findings)
	if err := c.stream([]byte(text), line); err != nil {
		c.findings = c.findings[:before]
	}
}

// chartValues reports whether a mapping is values of the chart argo-cd.
func chartValues(root *yaml.Node) bool {
	return has(root, "configs", "cmp") || has(root, "repoServer")
}

// values checks plugins and sidecars in values of the chart argo-cd of argoproj/argo-helm.
func (c *checker) values(root *yaml.Node) {
	plugins := get(root, "configs", "cmp", "plugins")
	for i := 0; i+1 < len(plugins.Content); i += 2 {
		name, spec := plugins.Content[i], resolved(plugins.Content[i+1])
		c.object = "ConfigManagementPlugin " + name.Value
		c.strict(spec, specShape, "spec")
		c.name(name, name.Value, get(spec, "version"))
		c.spec(spec, name)
	}
	c.object = ""
	for _, extra := range items(get(root, "extraObjects")) {
		c.document(extra)
		c.object = ""
	}
	server := get(root, "repoServer")
	c.containers(podSpec{
		containers: items(get(server, "extraContainers")), volumes: items(get(server, "volumes")), known: serverVolumes,
	})
}
