package lint

import (
	"bytes"
	"errors"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/konfig"

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
	for _, values := range c.chartValuesIn(root) {
		c.known++
		c.values(values)
	}
	switch {
	case areOperations(root):
		c.known--
		if c.concernsUs(root) {
			c.operations(items(root))
		}
	case kind == "ConfigManagementPlugin":
		c.plugin(root)
	case kind == "AppProject" && argoproj(root):
		c.version(root, argoVersion)
		c.objectTypes(root, kind)
	case kind == "Application" && argoproj(root):
		c.version(root, argoVersion)
		c.objectTypes(root, kind)
		c.application(root, get(root, "spec"), get(root, "metadata"))
	case kind == "ApplicationSet" && argoproj(root):
		c.version(root, argoVersion)
		c.objectTypes(root, kind)
		c.generators(root)
		c.application(root, get(root, "spec", "template", "spec"), get(root, "spec", "template", "metadata"))
	case kind == "Deployment":
		c.workload(root, deploymentShape())
	case kind == "StatefulSet":
		c.workload(root, statefulSetShape())
	case kind == "ArgoCD" && argoproj(root): // of Argo CD's operator
		c.version(root, argoGroup+"/v1beta1", argoVersion)
		c.check(root, operatorShape(), "", names)
		repo := get(root, "spec", "repo")
		c.containers(podSpec{containers: items(get(repo, "sidecarContainers")),
			initContainers: items(get(repo, "initContainers")), volumes: items(get(repo, "volumes")), known: serverVolumes,
			byOperator: true})
	case kind == "NetworkPolicy" && c.concernsUs(root):
		c.known--
		c.check(root, networkPolicyShape(), "", names)
	case kind == "Secret":
		c.known--
		c.secret(root)
	case kind == "ConfigMap" || kind == "List" || c.isKustomization(root):
		c.known--
		c.checkNested(root, kind)
	case kind == "" && c.chartValues(root) != absent: // they are checked above
	default:
		c.known--
		c.misspelt(root, kind)
	}
}

// isKustomization reports whether a document is one for kustomize: by its kind, or without one by the name of its file.
func (c *checker) isKustomization(root *yaml.Node) bool {
	switch get(root, "kind").Value {
	case "Component", "Kustomization":
		return true
	case "":
		name := path.Base(filepath.ToSlash(c.file))
		return c.offset == 0 && slices.Contains(konfig.RecognizedKustomizationFileNames(), name)
	}
	return false
}

func argoproj(root *yaml.Node) bool {
	return strings.HasPrefix(get(root, "apiVersion").Value, argoGroup+"/")
}

const kustomizeGroup = "kustomize.config.k8s.io"

const argoVersion = argoGroup + "/v1alpha1"

// argoKinds are the kinds of Argo CD that are checked, otherKinds what may hold a plugin's sidecar or its files.
var (
	argoKinds  = []string{"AppProject", "Application", "ApplicationSet", "ArgoCD", "ConfigManagementPlugin"}
	otherKinds = []string{"Component", "ConfigMap", "Deployment", "Kustomization", "StatefulSet"}
)

// secret checks a Secret that the sidecar may have files of, but for one that is encrypted. Nothing of its values is
// shown.
func (c *checker) secret(root *yaml.Node) {
	if !c.concernsUs(root) || has(root, "sops") {
		return
	}
	c.check(root, objectShape(map[string]*shape{}, "data", "stringData", "type", "immutable"), "", names)
	c.version(root, "v1")
	data := get(root, "data")
	for i := 0; i+1 < len(data.Content); i += 2 {
		n := resolve(data.Content[i+1])
		isPlaceholder := isFilledIn(n.Value) || strings.Contains(n.Value, "<") // that of another plugin of Argo CD
		if n.Value != "" && decode64(n.Value) == "" && !isPlaceholder {
			c.report(diag.PluginValue, n, "data.%s is no base64, and the API server refuses it", data.Content[i].Value).Hint =
				"Write what is plain text below stringData."
		}
	}
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
		if c.concernsUs(root) {
			c.check(root, objectShape(map[string]*shape{}, "data", "binaryData", "immutable"), "", names)
			c.version(root, "v1")
		}
		data := get(root, "data")
		for i := 1; i < len(data.Content); i += 2 {
			c.checkEmbedded(resolve(data.Content[i]), "")
		}
	default:
		if c.concernsUs(root) {
			c.check(root, kustomizationShape(), "", names|types)
			served := kustomizeGroup + "/v1beta1"
			if kind == "Component" {
				served = kustomizeGroup + "/v1alpha1"
			}
			c.version(root, served)
			c.targets(root)
		}
		c.patches(root)
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
	isAbout := func(word string) bool { return strings.Contains(text, word) }
	if !slices.ContainsFunc([]string{"ConfigManagementPlugin", "kind: Deployment", program, pluginServer}, isAbout) {
		return
	}
	before := len(c.findings)
	if err := c.stream([]byte(text), lineBefore(n)+c.offset); err != nil {
		c.findings = c.findings[:before]
	}
}

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
