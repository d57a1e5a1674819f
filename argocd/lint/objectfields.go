package lint

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// fields reports why an object is refused for its fields, where it is no patch of another: that has no repository.
func (c *checker) fields(root *yaml.Node, sources []*yaml.Node, found []Field) {
	isSet := get(root, "kind").Value == "ApplicationSet"
	top := root
	if isSet {
		top = get(root, "spec", "template")
	}
	if !isSet && !hasRepository(get(root, "spec")) || c.rules.IsTemplate {
		return
	}
	c.required(get(top, "spec"), sources)
	reported := map[string]bool{}
	for _, one := range found {
		at := nodeAt(top, one.Path)
		if text := diag.CauseOf(one.Err).Error(); !reported[text] && !c.wrong[at.Line+c.offset] {
			reported[text] = true
			f := c.report(diag.SourceRefused, at, "%s", text)
			if f.Hint = diag.HintOf(one.Err); one.Elsewhere && !isSet {
				f.Severity = diag.Warning
			}
		}
	}
}

// hasRepository reports whether an Application names a repository of its own.
func hasRepository(spec *yaml.Node) bool {
	named := func(s *yaml.Node) bool { return get(s, "repoURL").Value != "" }
	return named(get(spec, "source")) || slices.ContainsFunc(items(get(spec, "sources")), named) ||
		named(get(spec, "sourceHydrator", "drySource"))
}

// nodeAt returns the key or item at a path, or the last one of it that is there.
func nodeAt(n *yaml.Node, path []any) *yaml.Node {
	at := n
	for _, step := range path {
		switch step := step.(type) {
		case string:
			key, value := entry(n, step)
			if key == absent {
				return at
			}
			at, n = key, value
		case int:
			if step >= len(items(n)) {
				return at
			}
			n = items(n)[step]
			at = n
		}
	}
	return at
}
