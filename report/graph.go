package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/plan"
)

// Edges lists who reads what, by object and workload. App names the application that the workloads are of, "" where
// there is only one.
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
	SortEdges(out)
	return out
}

// SortEdges sorts edges by application, object and workload.
func SortEdges(edges []diff.Edge) {
	slices.SortStableFunc(edges, func(a, b diff.Edge) int {
		return cmp.Or(cmp.Compare(a.Config.App, b.Config.App), cmp.Compare(a.Config.String(), b.Config.String()),
			cmp.Compare(a.Workload.App, b.Workload.App), cmp.Compare(a.Workload.String(), b.Workload.String()))
	})
}

// graphText writes a tree: each object, and below it the workloads that read it.
func graphText(out *bytes.Buffer, edges []diff.Edge, _ Style) error {
	last := diff.Name{}
	for i, e := range edges {
		if e.Config != last {
			if i > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(visible(e.Config.String()+of(e.Config.App)) + "\n")
			last = e.Config
		}
		branch := "├─ "
		if i+1 == len(edges) || edges[i+1].Config != e.Config {
			branch = "└─ "
		}
		reader := e.Workload.String()
		if e.Workload.App != e.Config.App {
			reader += of(e.Workload.App)
		}
		fmt.Fprintf(out, "%s%s (%s)\n", branch, visible(reader), visible(keyList(e.Keys)))
	}
	if len(edges) == 0 {
		out.WriteString("no workload refers to anything\n")
	}
	return nil
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
