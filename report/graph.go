package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/plan"
)

// GraphSchema is the version of the JSON that GraphJSON writes. A field is added within a version, never removed or changed.
const GraphSchema = 1

// Edges lists who reads what, by object and workload. App names the application that the workloads are of, "" where there is only one.
func Edges(app string, workloads []plan.Workload) []diff.Edge {
	var out []diff.Edge
	for _, w := range workloads {
		for _, r := range w.References {
			out = append(out, diff.Edge{
				Config: diff.Name{App: app, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name},
				Workload: diff.Name{App: app, Kind: w.Kind, Namespace: w.Namespace, Name: w.Name,
					File: w.Position.File, Line: w.Position.Line},
				Keys: r.Keys,
			})
		}
	}
	slices.SortStableFunc(out, func(a, b diff.Edge) int {
		return cmp.Or(cmp.Compare(a.Config.App, b.Config.App), cmp.Compare(a.Config.String(), b.Config.String()), cmp.Compare(a.Workload.String(), b.Workload.String()))
	})
	return out
}

// GraphText writes a tree: each object, and below it the workloads that read it.
func GraphText(out *bytes.Buffer, edges []diff.Edge) {
	last := diff.Name{}
	for i, e := range edges {
		if e.Config != last {
			if i > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(e.Config.String() + of(e.Config.App) + "\n")
			last = e.Config
		}
		branch := "├─ "
		if i+1 == len(edges) || edges[i+1].Config != e.Config {
			branch = "└─ "
		}
		fmt.Fprintf(out, "%s%s (%s)\n", branch, e.Workload, keyList(e.Keys))
	}
	if len(edges) == 0 {
		out.WriteString("no workload refers to anything\n")
	}
}

func of(app string) string {
	if app == "" {
		return ""
	}
	return " of " + app
}

func keyList(keys []string) string {
	if keys == nil {
		return "all keys"
	}
	return strings.Join(keys, ", ")
}

// GraphDOT writes the edges for Graphviz.
func GraphDOT(out *bytes.Buffer, edges []diff.Edge) {
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
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}

// GraphJSON writes the edges for programs.
func GraphJSON(w io.Writer, edges []diff.Edge) error {
	return encode(w, struct {
		Schema int         `json:"schema"`
		Edges  []diff.Edge `json:"edges"`
	}{GraphSchema, list(edges)})
}

// GraphHTML writes the edges as a page to look around in.
func GraphHTML(w io.Writer, label string, edges []diff.Edge) error {
	return page(w, fmt.Sprintf("%s read by workloads", diag.Count(len(edges), "reference")), &diff.Comparison{Schema: diff.Schema, To: label, Apps: []diff.AppChange{},
		Restarts: []diff.Restart{}, Quiet: []diff.Quiet{}, Objects: []diff.ObjectChange{}, Edges: list(edges)})
}
