package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diff"
)

// graphDOT writes edges for Graphviz.
func graphDOT(out *bytes.Buffer, edges []diff.Edge, _ Style) error {
	out.WriteString("digraph rollstamp {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	seen := map[string]bool{}
	node := func(n diff.Name, style string) string {
		id := dotText(n.String() + of(n.App))
		if !seen[id] {
			seen[id] = true
			fmt.Fprintf(out, "  %s [%s];\n", id, style)
		}
		return id
	}
	for _, e := range edges {
		from, to := node(e.Config, "style=rounded"), node(e.Workload, "style=solid")
		fmt.Fprintf(out, "  %s -> %s [label=%s];\n", from, to, dotText(keyList(e.Keys)))
	}
	out.WriteString("}\n")
	return nil
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}
