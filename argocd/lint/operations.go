package lint

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// podParts are where operations of a patch (JSON 6902) put what runs a plugin, by the paths of the lists.
var podParts = map[string]func(*podSpec) *[]*yaml.Node{
	"/spec/template/spec/containers":     func(p *podSpec) *[]*yaml.Node { return &p.containers },
	"/spec/template/spec/initContainers": func(p *podSpec) *[]*yaml.Node { return &p.initContainers },
	"/spec/template/spec/volumes":        func(p *podSpec) *[]*yaml.Node { return &p.volumes },
	"/spec/repo/sidecarContainers":       func(p *podSpec) *[]*yaml.Node { return &p.containers },
	"/spec/repo/initContainers":          func(p *podSpec) *[]*yaml.Node { return &p.initContainers },
	"/spec/repo/volumes":                 func(p *podSpec) *[]*yaml.Node { return &p.volumes },
}

// areOperations reports whether a document is a patch that is a list of operations.
func areOperations(root *yaml.Node) bool {
	all := items(root)
	return len(all) > 0 && !slices.ContainsFunc(all, func(o *yaml.Node) bool { return !has(o, "op") || !has(o, "path") })
}

// operations checks the pod that lists of operations make, as far as it is theirs, and names what they change of one
// that is elsewhere.
func (c *checker) operations(all []*yaml.Node) {
	c.known++
	pod := podSpec{known: slices.Clone(serverVolumes)}
	for _, o := range all {
		at, value := get(o, "path"), get(o, "value")
		switch {
		case get(o, "op").Value != "add" && get(o, "op").Value != "replace":
		case at.Value == "/spec/template/spec/securityContext":
			pod.security = value
		case pod.take(at.Value, value) || !c.concernsUs(value):
		case nearPart(at.Value) != "":
			c.report(diag.PluginValue, at, "path: nothing is read at %s%s", at.Value, didYouMean(nearPart(at.Value)))
		default:
			c.report(diag.SourceUnjudged, at, "%s: what this operation changes is in another file, and what it comes to is "+
				"not checked", at.Value).Hint = "kustomize build FOLDER | rollstamp argocd lint - checks the result."
		}
		pod.byOperator = pod.byOperator || strings.HasPrefix(at.Value, "/spec/repo/")
	}
	if len(pod.volumes)+len(c.patchVolumes) == 0 { // others add them
		for _, n := range slices.Concat(pod.containers, pod.initContainers) {
			for _, m := range items(get(n, "volumeMounts")) {
				pod.known = append(pod.known, get(m, "name").Value)
			}
		}
	}
	c.containers(pod)
}

// nearPart returns the path of a part of pods that another may be a misspelling of, or "".
func nearPart(at string) string {
	if !isItem(path.Base(at)) {
		return ""
	}
	return nearly(path.Dir(at), slices.Sorted(maps.Keys(podParts)))
}

// isItem reports whether the end of a path is an item of a list.
func isItem(step string) bool {
	_, err := strconv.Atoi(step)
	return err == nil || step == "-"
}

// take adds what an operation puts into a pod, and reports whether that is a whole part of it.
func (p *podSpec) take(at string, value *yaml.Node) bool {
	if list := podParts[at]; list != nil {
		*list(p) = append(*list(p), items(value)...)
		return true
	}
	list := podParts[path.Dir(at)]
	if list == nil || !isItem(path.Base(at)) {
		return false
	}
	*list(p) = append(*list(p), value)
	return true
}

// patches checks the patches of a kustomization: each that is a part of an object by itself, and those that are lists
// of operations together, because one may add a container and another its volumes.
func (c *checker) patches(root *yaml.Node) {
	var texts []*yaml.Node
	for _, field := range []string{"patches", "patchesJson6902"} {
		for _, p := range items(get(root, field)) {
			texts = append(texts, get(p, "patch"))
		}
	}
	texts = append(texts, items(get(root, "patchesStrategicMerge"))...)
	var operations []*yaml.Node
	before := c.patchVolumes
	defer func() { c.patchVolumes = before }()
	var parts []*yaml.Node
	for _, n := range texts {
		before := len(operations)
		for _, doc := range c.embedded(n) {
			if areOperations(doc) {
				operations = append(operations, items(doc)...)
			}
			c.patchVolumes = append(c.patchVolumes, items(get(doc, "spec", "template", "spec", "volumes"))...)
		}
		if len(operations) == before {
			parts = append(parts, n)
		}
	}
	var pod podSpec
	for _, o := range operations {
		pod.take(get(o, "path").Value, get(o, "value"))
	}
	c.patchVolumes = append(c.patchVolumes, pod.volumes...)
	for _, n := range parts {
		c.checkEmbedded(n, "")
	}
	if slices.ContainsFunc(operations, c.concernsUs) {
		c.operations(operations)
	}
}

// embedded returns the documents of a text in a file, with lines of the file; none where it cannot be read.
func (c *checker) embedded(n *yaml.Node) (out []*yaml.Node) {
	for dec := yaml.NewDecoder(strings.NewReader(n.Value)); ; {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			return nil
		case len(doc.Content) > 0:
			shift(doc.Content[0], lineBefore(n))
			out = append(out, doc.Content[0])
		}
	}
}

// shift moves a node and everything below it down by some lines.
func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, below := range n.Content {
		shift(below, lines)
	}
}

// patchText returns the text of a patch of a kustomization, which may be in a file of its own; none where it cannot be
// read.
func (c *checker) patchText(patch *yaml.Node) []byte {
	if file := get(patch, "path").Value; file != "" && c.rules.Read != nil {
		text, _, err := c.rules.Read(file)
		if err != nil {
			return nil
		}
		return bytes.TrimSpace(text)
	}
	return []byte(get(patch, "patch").Value)
}
