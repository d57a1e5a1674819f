package lint

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// parameters checks the parameters of a source against the rules.
func (c *checker) parameters(s, n *yaml.Node, many bool) {
	var wire []any
	seen, refs := map[string]int{}, refsFolders(n)
	for _, p := range items(n) {
		name := get(p, "name")
		if name.Value == "" {
			c.report(diag.SourceParameter, orParent(name, p), "a parameter has no name: the plugin refuses it")
			continue
		}
		if first, twice := seen[name.Value]; twice {
			c.report(diag.SourceParameter, name, "parameter %q is given twice, first in line %d", name.Value,
				first+c.offset)
		}
		seen[name.Value] = name.Line
		if c.rules.Parameters != nil {
			c.parameter(p, name)
		}
		c.valueFiles(s, p)
		if many || get(p, "name").Value == "valueFiles" {
			c.references(p, refs)
		}
		var plain any
		if p.Decode(&plain) == nil {
			wire = append(wire, plain)
		}
	}
	text, err := json.Marshal(wire)
	if size := len("ARGOCD_APP_PARAMETERS=") + len(text); err == nil && size > maxVariable {
		f := c.report(diag.SourceEnvironment, n,
			"the parameters have %d bytes; the plugin cannot be started with more than %d", size, maxVariable)
		f.Severity, f.Hint = diag.Failure, "Move the values to a file of the repository and name that in valueFiles."
	}
}

// refsFolders returns the names of the sources for which the parameter refs has folders.
func refsFolders(n *yaml.Node) map[string]bool {
	refs := map[string]bool{}
	for _, p := range items(n) {
		if get(p, "name").Value != "refs" {
			continue
		}
		for i, name := range get(p, "map").Content {
			refs[name.Value] = refs[name.Value] || i%2 == 0
		}
	}
	return refs
}

func (c *checker) parameter(p, name *yaml.Node) {
	want, known := c.collection(name.Value)
	if strings.Contains(name.Value, "{{") {
		return // an ApplicationSet fills it in
	}
	if !known {
		names := make([]string, 0, len(c.rules.Parameters))
		for n := range c.rules.Parameters {
			names = append(names, n)
		}
		slices.Sort(names)
		c.report(diag.SourceParameter, orParent(name, p), "there is no parameter %q%s", name.Value,
			config.Suggest(name.Value, names))
		return
	}
	var forms []string
	for _, form := range []string{"string", "array", "map"} {
		if has(p, form) {
			forms = append(forms, form)
		}
	}
	switch {
	case len(forms) == 0:
		c.report(diag.SourceParameter, name, "parameter %s has no value; it takes %s", name.Value, want)
	case len(forms) > 1:
		c.report(diag.SourceParameter, name, "parameter %s has both %s; it takes %s", name.Value,
			strings.Join(forms, " and "), want)
	case forms[0] != want:
		c.report(diag.SourceParameter, name, "parameter %s is given as %s; it takes %s", name.Value, forms[0], want)
	default:
		c.refused(p, name)
	}
}

// collection returns the collection of a parameter, and whether there is one of that name.
func (c *checker) collection(name string) (string, bool) {
	if want, ok := c.rules.Parameters[name]; ok {
		return want, true
	}
	for _, prefix := range c.rules.Prefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			return "string", true
		}
	}
	return "", false
}

// references finds files of the Application's other sources that have no folder.
func (c *checker) references(p *yaml.Node, refs map[string]bool) {
	for _, n := range append(items(get(p, "array")), get(p, "map").Content...) {
		name, _, below := strings.Cut(n.Value, "/")
		if ref, ok := strings.CutPrefix(name, "$"); ok && below && !refs[ref] && !strings.HasPrefix(ref, "ARGOCD_") {
			c.report(diag.SourceReference, n, "%s lies in another source, of which a plugin gets no files", n.Value)
		}
	}
}
