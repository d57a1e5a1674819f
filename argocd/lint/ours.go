package lint

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// program is the name of rollstamp's program, and a part of that of its image.
const program = "rollstamp"

// Names returns the names of the plugins that a text has run rollstamp, by its plugin files and by what 'argocd serve'
// is started with. They are those under which Applications know it.
func Names(text []byte) []string {
	if !bytes.Contains(text, []byte(program)) {
		return nil
	}
	c := newChecker("", RulesFor(program))
	if c.stream(text, 0) != nil {
		return nil // who checks the text reports that
	}
	slices.Sort(c.names)
	return slices.Compact(c.names)
}

// named notes the name of a plugin that runs rollstamp.
func (c *checker) named(name string, spec *yaml.Node) {
	if mentions(get(spec, "generate"), program) {
		c.names = append(c.names, name)
	}
}

// isOurs reports whether a plugin may be rollstamp's, by its name or by what it runs.
func (c *checker) isOurs(name string, plugin *yaml.Node) bool {
	return c.isOurName(name) || config.Suggest(name, []string{c.rules.Plugin}) != "" || mentions(plugin, program)
}

// isOurName reports whether a name is rollstamp's, possibly followed by a version; so may one be that is filled in.
func (c *checker) isOurName(name string) bool {
	return name == c.rules.Plugin || strings.HasPrefix(name, c.rules.Plugin+"-") || isFilledIn(name)
}

// mentions reports whether a word is in one of the texts of a node, each of which may be in itself by an alias.
func mentions(n *yaml.Node, word string) bool {
	seen := map[*yaml.Node]bool{}
	var isIn func(n *yaml.Node) bool
	isIn = func(n *yaml.Node) bool {
		if n = resolve(n); seen[n] {
			return false
		}
		seen[n] = true
		return n.Kind == yaml.ScalarNode && strings.Contains(n.Value, word) || slices.ContainsFunc(n.Content, isIn)
	}
	return isIn(n)
}

// keepRefusals takes back the findings since there were so many, but for what Argo CD refuses or cannot run: other
// people's plugins are theirs.
func (c *checker) keepRefusals(since int) {
	kept := slices.DeleteFunc(c.findings[since:], func(f diag.Finding) bool { return !isFailure(f) })
	c.findings = c.findings[:since+len(kept)]
}

// mayBeOurs reports whether an object may have a source that rollstamp renders: in an Application, in a template of a
// set, or in a text that is made a part of it. A source that names no plugin is that of any that discovers.
func (c *checker) mayBeOurs(n *yaml.Node) bool {
	n = resolve(n)
	switch n.Kind {
	case yaml.ScalarNode:
		return c.mayBeOursIn(n.Value)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, resolve(n.Content[i+1])
			name := get(value, "name")
			switch {
			case key == "generators":
				if c.inTemplates(value) {
					return true
				}
			case key == "plugin" && (value.Kind != yaml.MappingNode || name == absent || c.isOurName(name.Value)),
				key != "plugin" && c.mayBeOurs(value):
				return true
			}
		}
	case yaml.SequenceNode:
		return slices.ContainsFunc(n.Content, c.mayBeOurs)
	default:
	}
	return false
}

// inTemplates is mayBeOurs for generators, one of which is called plugin: only their templates have sources.
func (c *checker) inTemplates(n *yaml.Node) bool {
	n = resolve(n)
	for i, below := range n.Content {
		isTemplate := n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "template"
		if isTemplate && c.mayBeOurs(below) || (n.Kind == yaml.SequenceNode || i%2 == 1) && c.inTemplates(below) {
			return true
		}
	}
	return false
}

// mayBeOursIn is mayBeOurs for a text such as templatePatch, which is no YAML before it is filled in.
func (c *checker) mayBeOursIn(text string) bool {
	_, after, found := strings.Cut(text, "plugin")
	after = strings.TrimLeft(after, "\" '")
	if !found {
		return false
	}
	if !strings.HasPrefix(after, ":") {
		return c.mayBeOursIn(after)
	}
	_, name, isNamed := strings.Cut(after, "name")
	name = strings.TrimLeft(name, "\" ':")
	return !isNamed || strings.HasPrefix(name, c.rules.Plugin) || strings.HasPrefix(name, "{{") || c.mayBeOursIn(after)
}
