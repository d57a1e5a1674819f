// Package lint finds what Argo CD ignores or refuses without an error: in a plugin's file, in an Application that uses
// it, and in the sidecar that runs it.
package lint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
)

// Rules describe the plugin that files are checked for.
type Rules struct {
	// Plugin is the name under which Applications use rollstamp.
	Plugin string
	// Parameters are the names that the plugin accepts, each with its collection: string, array or map. If it is nil,
	// names are not checked.
	Parameters map[string]string
	// Prefixes are the beginnings of further names, which are strings: "parameters." for "parameters.image.tag".
	Prefixes []string
}

// RulesFor returns the rules for Applications that use rollstamp under the name of a plugin.
func RulesFor(plugin string) Rules {
	rules := Rules{Plugin: plugin, Parameters: map[string]string{}}
	for _, o := range argocd.Options() {
		rules.Parameters[o.Name] = string(o.Collection)
		if o.Collection == argocd.Map {
			rules.Prefixes = append(rules.Prefixes, o.Name+".")
		}
	}
	return rules
}

// File checks every document of a file, and manifests inside manifests: the patches of a kustomization, the plugin
// files of a ConfigMap. Findings are in the order of lines. A file that is not YAML is an error; one without anything
// to check is a finding.
func File(name string, text []byte, rules Rules) ([]diag.Finding, error) {
	c := checker{file: name, rules: rules}
	if err := c.stream(text, 0); err != nil {
		return nil, err
	}
	if c.known == 0 {
		c.findings = append(c.findings, diag.New(diag.Skipped, "",
			"the file holds no plugin, Application or sidecar; nothing was checked").At(diag.Position{File: name}))
	}
	return diag.Sort(c.findings), nil
}

// checker checks one file.
type checker struct {
	file     string
	rules    Rules
	offset   int    // lines before the text that is read, if it is inside another
	object   string // "Kind name" of the document
	known    int    // documents that were checked
	findings []diag.Finding
}

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
			return c.syntax(err)
		case len(doc.Content) > 0:
			c.document(doc.Content[0])
		}
	}
}

// syntax moves the line from the YAML library's message to the position. The rest of the message may quote the text,
// so it is dropped.
func (c *checker) syntax(err error) error {
	pos := diag.Position{File: c.file}
	if rest, ok := strings.CutPrefix(err.Error(), "yaml: line "); ok {
		number, _, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(number); err == nil {
			pos.Line = n + c.offset
		}
	}
	return diag.Input(pos, errors.New("parse YAML: the text is no YAML"), "")
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
	case kind == "Application" && argoproj(root):
		c.application(root, get(root, "spec"), get(root, "metadata"))
	case kind == "ApplicationSet" && argoproj(root):
		c.application(root, get(root, "spec", "template", "spec"), get(root, "spec", "template", "metadata"))
	case kind == "Deployment" || kind == "StatefulSet":
		c.pod(get(root, "spec", "template", "spec"))
	case kind == "ArgoCD" && argoproj(root): // of Argo CD's operator
		repo := get(root, "spec", "repo")
		c.containers(podSpec{containers: items(get(repo, "sidecarContainers")), volumes: items(get(repo, "volumes")),
			known: serverVolumes})
	case kind == "Component" || kind == "Kustomization" || kind == "ConfigMap" || kind == "List":
		c.known--
		c.nested(root, kind)
	case kind == "" && chartValues(root):
		c.values(root)
	default:
		c.known--
	}
}

func argoproj(root *yaml.Node) bool {
	return strings.HasPrefix(get(root, "apiVersion").Value, "argoproj.io/")
}

// report adds a finding at a node.
func (c *checker) report(code diag.Code, at *yaml.Node, format string, args ...any) *diag.Finding {
	pos := diag.Position{File: c.file, Line: at.Line + c.offset}
	f := diag.New(code, c.object, fmt.Sprintf(format, args...)).At(pos)
	c.findings = append(c.findings, f)
	return &c.findings[len(c.findings)-1]
}

// get follows keys from mapping to mapping, through aliases. A missing key is an empty node, so that a path can be
// followed without a check at each step.
func get(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		_, n = entry(n, key)
	}
	return resolved(n)
}

// entry returns a key of a mapping and its value; of a repeated key the last. Other keys take precedence over merged
// ones.
func entry(n *yaml.Node, key string) (k, v *yaml.Node) { return entryBelow(n, key, 0) }

// maxMerges bounds merges of merges, which can be circular.
const maxMerges = 16

func entryBelow(n *yaml.Node, key string, merges int) (k, v *yaml.Node) {
	n = resolved(n)
	k, v = absent, absent
	if n.Kind != yaml.MappingNode || merges > maxMerges {
		return k, v
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch {
		case n.Content[i].Value == key:
			k, v = n.Content[i], n.Content[i+1]
		case n.Content[i].Tag == "!!merge" && k == absent:
			k, v = entryBelow(n.Content[i+1], key, merges+1)
		}
	}
	return k, v
}

var absent = &yaml.Node{}

func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func has(n *yaml.Node, path ...string) bool { return get(n, path...) != absent }

// items returns the items of a sequence; none for anything else.
func items(n *yaml.Node) []*yaml.Node {
	if n = resolved(n); n.Kind != yaml.SequenceNode {
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		out[i] = resolved(item)
	}
	return out
}

// scalars returns the scalars of a sequence.
func scalars(n *yaml.Node) []string {
	var out []string
	for _, item := range items(n) {
		out = append(out, item.Value)
	}
	return out
}
