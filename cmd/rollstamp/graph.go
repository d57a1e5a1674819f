package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/report"
)

type graphCommand struct {
	renderFlags
	object string
	output string
}

func newGraph(p *program) *cobra.Command {
	var g graphCommand
	c := &cobra.Command{
		Use:   "graph [PATH...]",
		Short: "Show which workload reads which configuration",
		Long: `Render each PATH (by default the working folder; - is a stream of manifests on standard input) and
show which workloads read which ConfigMaps and Secrets, and which keys: as a tree, as a picture for
Graphviz or mermaid, as JSON, or as a page to look around in.

--object KIND/NAME keeps what belongs to one object: of a ConfigMap or Secret who reads it, of a
workload what it reads.`,
		Example: `  rollstamp graph overlays/prod
  rollstamp graph overlays/prod --object ConfigMap/settings
  rollstamp graph 'apps/*' -o dot | dot -Tsvg > graph.svg`,
		RunE: func(c *cobra.Command, args []string) error { return g.run(c.Context(), p, args) },
	}
	g.add(c)
	c.Flags().StringVar(&g.object, "object", "", "only what belongs to KIND/NAME")
	c.Flags().StringVarP(&g.output, "output", "o", "text", "format: "+strings.Join(report.GraphFormats(), ", "))
	offer(c, "output", report.GraphFormats()...)
	return c
}

func (g *graphCommand) run(ctx context.Context, p *program, args []string) error {
	if err := errors.Join(g.check(), oneOf("output", g.output, report.GraphFormats()...)); err != nil {
		return err
	}
	var pick *identity
	if g.object != "" {
		id, ok := parseIdentity(g.object)
		if !ok {
			return diag.Usage(fmt.Errorf("--object %q is not KIND/NAME", g.object), "Write it as ConfigMap/settings.")
		}
		pick = &id
	}
	source, err := g.source(ctx, p, args)
	if err != nil {
		return err
	}
	names, err := source.Names(ctx)
	if err != nil {
		return err
	}
	edges, failed := edgesOf(ctx, source, names)
	if len(edges) == 0 && failed != nil {
		return failed
	}
	if pick != nil {
		edges = slices.DeleteFunc(edges, func(e diff.Edge) bool {
			return !pick.is(e.Config.Kind, e.Config.Namespace, e.Config.Name) &&
				!pick.is(e.Workload.Kind, e.Workload.Namespace, e.Workload.Name)
		})
		if len(edges) == 0 {
			err := fmt.Errorf("draw graph: nothing reads %s, and it reads nothing", pick)
			return errors.Join(diag.Input(diag.Position{}, err, "See everything with rollstamp graph."), failed)
		}
	}
	return errors.Join(showGraph(p, g.output, strings.Join(names, " "), edges), failed)
}

// edgesOf renders the applications and lists who reads what in all of them that do not fail.
func edgesOf(ctx context.Context, source app.Source, names []string) ([]diff.Edge, error) {
	parts, members := make([][]diff.Edge, len(names)), make([]*fleet.Member, len(names))
	read := readers(len(names) > 1)
	use := func(ctx context.Context, i int, a *app.Application, rendered *pipeline.Rendered) (err error) {
		parts[i], err = pipeline.Derive(ctx, a, rendered, read)
		members[i] = fleet.MemberWith(a, rendered)
		return err
	}
	errs := fleet.RunLazily(ctx, source, names, use, nil)
	neighbours := fleet.NewNeighbours(members)
	edges := joinEdges(parts, neighbours)
	neighbours.AddLost(errs)
	return edges, fleet.Join(names, errs)
}

// readers lists who reads what in an application, which is named where there are several. It is cached.
func readers(isNamed bool) pipeline.Derivation[[]diff.Edge] {
	return pipeline.Derivation[[]diff.Edge]{
		Name: fmt.Sprintf("graph, named %t", isNamed),
		Of: func(_ context.Context, a *app.Application, result *pipeline.Result) ([]diff.Edge, bool, error) {
			name := ""
			if isNamed {
				name = a.Name()
			}
			return report.Edges(name, pipeline.Workloads(a, result)), true, nil
		},
	}
}

// joinEdges returns the edges of all applications. What a workload reads and another application renders is that one's.
func joinEdges(parts [][]diff.Edge, neighbours *fleet.Neighbours) []diff.Edge {
	joined := false
	for i, edges := range parts {
		for k, e := range edges {
			p, ok := neighbours.Provider(i, e.Config.Kind, e.Config.Namespace, e.Config.Name)
			if ok && p.Doubtful == "" {
				edges[k].Config.App, joined = p.App, true
			}
		}
	}
	all := slices.Concat(parts...)
	if joined {
		report.SortEdges(all)
	}
	return all
}

// showGraph prints a graph of the applications that title names.
func showGraph(p *program, format, title string, edges []diff.Edge) error {
	style := p.resultStyle()
	style.Label = title
	var out bytes.Buffer
	if err := report.WriteGraph(&out, format, edges, style); err != nil {
		return err
	}
	return p.emit(&out)
}
