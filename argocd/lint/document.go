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
