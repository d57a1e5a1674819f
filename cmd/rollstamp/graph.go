package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/report"
)

type graphCommand struct {
	renderFlags
	object string
	output string
}

var graphFormats = []string{"text", "dot", "mermaid", "json", "html"}

func (p *program) graph() *cobra.Command {
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
  rollstamp graph apps/* -o dot | dot -Tsvg > graph.svg`,
		RunE: func(c *cobra.Command, args []string) error { return p.runGraph(c.Context(), &g, args) },
	}
	g.add(c)
	c.Flags().StringVar(&g.object, "object", "", "only what belongs to KIND/NAME")
	c.Flags().StringVarP(&g.output, "output", "o", "text", "format: "+strings.Join(graphFormats, ", "))
	offer(c, "output", graphFormats...)
	return c
}

func (p *program) runGraph(ctx context.Context, g *graphCommand, paths []string) error {
	if err := errors.Join(g.check(), oneOf("output", g.output, graphFormats...)); err != nil {
		return err
	}
	var pick *identity
	if g.object != "" {
		kind, name, two := strings.Cut(g.object, "/")
		if !two || kind == "" || name == "" {
			return diag.Usage(fmt.Errorf("--object %q is not KIND/NAME", g.object), "")
		}
		pick = &identity{kind, name}
	}
	paths, err := p.paths(paths)
	if err != nil {
		return err
	}
	edges, err := p.edges(ctx, g, paths)
	if err != nil {
		return err
	}
	if pick != nil {
		edges = slices.DeleteFunc(edges, func(e diff.Edge) bool {
			return !pick.is(e.Config.Kind, e.Config.Name) && !pick.is(e.Workload.Kind, e.Workload.Name)
		})
		if len(edges) == 0 {
			return diag.Input(diag.Position{}, fmt.Errorf("draw graph: nothing reads %s, and it reads nothing", pick), "See everything with rollstamp graph.")
		}
	}
	var out bytes.Buffer
	switch g.output {
	case "dot":
		report.GraphDOT(&out, edges)
	case "mermaid":
		out.WriteString(report.Mermaid(edges))
	case "json":
		err = report.GraphJSON(&out, edges)
	case "html":
		err = report.GraphHTML(&out, strings.Join(paths, " "), edges)
	default:
		report.GraphText(&out, edges)
	}
	if err != nil {
		return err
	}
	return p.emit(&out)
}

// edges renders the applications and lists who reads what in all of them.
func (p *program) edges(ctx context.Context, g *graphCommand, paths []string) ([]diff.Edge, error) {
	parts := make([][]diff.Edge, len(paths))
	errs := pipeline.Each(ctx, len(paths), func(ctx context.Context, i int) error {
		a, err := g.applications(p.wiring).Application(ctx, p.wiring.Disk(), paths[i])
		if err != nil {
			return err
		}
		result, err := pipeline.Run(ctx, a)
		if err != nil {
			return err
		}
		app := ""
		if len(paths) > 1 {
			app = paths[i]
		}
		parts[i] = report.Edges(app, result.Plan.Workloads)
		return nil
	}, nil)
	return slices.Concat(parts...), together(paths, errs)
}
