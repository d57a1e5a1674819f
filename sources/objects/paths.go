package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
)

// fields splits a dotted path.
func fields(path string) []string { return strings.Split(path, ".") }

// first returns the first text that a path leads to.
func first(n manifest.Node, path config.Path) (text string) {
	if path.IsZero() {
		return ""
	}
	each(n, path.Steps(), func(n manifest.Node) {
		if text == "" {
			text = n.StringValue()
		}
	})
	return text
}

// each calls visit with every place that the steps lead to.
func each(n manifest.Node, steps []config.Step, visit func(manifest.Node)) {
	for len(steps) > 0 && steps[0].Each == config.Field && n.Valid() {
		n, steps = n.Get(steps[0].Field), steps[1:]
	}
	switch {
	case !n.Valid():
	case len(steps) == 0:
		visit(n)
	case steps[0].Each == config.Items:
		for it := range n.Items() {
			each(it, steps[1:], visit)
		}
	default:
		for _, v := range n.Entries() {
			each(v, steps[1:], visit)
		}
	}
}
