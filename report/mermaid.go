package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diff"
)

// graphMermaid writes edges as a flowchart of Mermaid.
func graphMermaid(out *bytes.Buffer, edges []diff.Edge, _ Style) error {
	out.WriteString(mermaid(edges))
	return nil
}

// mermaid returns edges as a flowchart of Mermaid.
func mermaid(edges []diff.Edge) string {
	var out strings.Builder
	out.WriteString("flowchart LR\n")
	ids := map[diff.Name]string{}
	node := func(n diff.Name, open, shut string) string {
		n.File, n.Line = "", 0
		id, known := ids[n]
		if !known {
			id = fmt.Sprintf("n%d", len(ids))
			ids[n] = id
			fmt.Fprintf(&out, "  %s%s\"%s\"%s\n", id, open, mermaidText(n.String()), shut)
		}
		return id
	}
	for _, e := range edges {
		from, to := node(e.Config, "(", ")"), node(e.Workload, "[", "]")
		label := ""
		if len(e.Keys) > 0 && len(e.Keys) <= 3 {
			label = "|\"" + mermaidText(strings.Join(e.Keys, ", ")) + "\"|"
		}
		fmt.Fprintf(&out, "  %s -->%s %s\n", from, label, to)
	}
	return out.String()
}

// mermaidText escapes a text for quotes in a flowchart.
func mermaidText(s string) string {
	return strings.NewReplacer(`"`, "#quot;", "\n", " ", "`", "'", "<", "#lt;", ">", "#gt;").Replace(s)
}
