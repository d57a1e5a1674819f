package lint

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// stream checks the documents of a text whose first line is line offset+1 of the file.
func (c *checker) stream(text []byte, offset int) error {
	before := c.offset
	c.offset = offset
	defer func() { c.offset = before }()
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return c.syntax(text)
		case len(doc.Content) > 0:
			c.document(doc.Content[0])
		}
	}
}

// syntax returns what is wrong with a text that is no YAML: the words of the library that is read with here may quote
// the text, and their line is not exact.
func (c *checker) syntax(text []byte) error {
	for _, err := range manifest.Documents(text, c.file) {
		var wrong *diag.Error
		if errors.As(err, &wrong) {
			at := *wrong
			at.Pos.Line += c.offset
			return &at
		}
	}
	return diag.Input(diag.Position{File: c.file}, errors.New("parse YAML: the text is no YAML"), "")
}

// document checks a document by its kind.
func (c *checker) document(root *yaml.Node) {
	kind, outer := get(root, "kind").Value, c.object
	c.object = strings.TrimSpace(kind + " " + get(root, "metadata", "name").Value)
	defer func() { c.object = outer }()
	c.known++
	switch {
	case kind == "ConfigManagementPlugin":
		c.plugin(root)
	case kind == "AppProject" && argoproj(root):
		c.objectTypes(root, kind)
	case kind == "Application" && argoproj(root):
		c.objectTypes(root, kind)
		c.application(root, get(root, "spec"), get(root, "metadata"))
	case kind == "ApplicationSet" && argoproj(root):
		c.objectTypes(root, kind)
		c.generators(root)
		c.application(root, get(root, "spec", "template", "spec"), get(root, "spec", "template", "metadata"))
	case kind == "Deployment" || kind == "StatefulSet":
		c.pod(get(root, "spec", "template", "spec"))
	case kind == "ArgoCD" && argoproj(root): // of Argo CD's operator
		repo := get(root, "spec", "repo")
		c.containers(podSpec{containers: items(get(repo, "sidecarContainers")), volumes: items(get(repo, "volumes")),
			known: serverVolumes, byOperator: true})
	case kind == "Component" || kind == "Kustomization" || kind == "ConfigMap" || kind == "List":
		c.known--
		c.checkNested(root, kind)
	case kind == "" && chartValues(root):
		c.values(root)
	default:
		c.known--
	}
}

func argoproj(root *yaml.Node) bool {
	return strings.HasPrefix(get(root, "apiVersion").Value, "argoproj.io/")
}

// checkNested checks manifests that are text inside a manifest: the patches and literals of a kustomization, the files
// of a ConfigMap.
func (c *checker) checkNested(root *yaml.Node, kind string) {
	switch kind {
	case "List":
		for _, item := range items(get(root, "items")) {
			c.document(item)
		}
	case "ConfigMap":
		data := get(root, "data")
		for i := 1; i < len(data.Content); i += 2 {
			c.checkEmbedded(resolve(data.Content[i]), "")
		}
	default:
		for _, p := range items(get(root, "patches")) {
			c.checkEmbedded(get(p, "patch"), "")
		}
		for _, p := range items(get(root, "patchesStrategicMerge")) {
			c.checkEmbedded(p, "")
		}
		for _, g := range items(get(root, "configMapGenerator")) {
			for _, literal := range items(get(g, "literals")) {
				c.checkEmbedded(literal, "=")
			}
		}
	}
}

// checkEmbedded checks a text that looks like a manifest to check, after the first cut if there is one. A text that
// cannot be read is skipped.
func (c *checker) checkEmbedded(n *yaml.Node, cut string) {
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
