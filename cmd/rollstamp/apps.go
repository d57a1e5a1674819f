package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
)

type appsCommand struct {
	renderFlags
	output string
}

func newApps(p *program) *cobra.Command {
	var a appsCommand
	c := &cobra.Command{
		Use:   "apps [PATH...]",
		Short: "List the applications that the other commands take",
		Long: `List the applications that each PATH (by default the working folder) stands for, with where each was
found: a path stands for itself, a folder whose .rollstamp.yaml has apps: for all that are described there,
and with --as argocd the Applications and ApplicationSets in a file or folder for all that Argo CD
would render, those among them that are found in what others render.

render, check, graph, explain and lock take the same PATHs, and of those that are described the names
PATH@ENV. diff takes them, too, but for --as argocd.`,
		Example: `  rollstamp apps
  rollstamp apps --as argocd argocd/
  rollstamp apps -o json 'apps/*'`,
		RunE: func(c *cobra.Command, args []string) error { return a.run(c.Context(), p, args) },
	}
	a.add(c)
	addFormat(c, &a.output, formats...)
	return c
}

// listedApp is an application as it is listed.
type listedApp struct {
	Name      string `json:"name"`
	Kind      string `json:"kind,omitempty"`
	Path      string `json:"path,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Release   string `json:"release,omitempty"`
	File      string `json:"file,omitempty"` // of the object or entry that describes it
	Line      int    `json:"line,omitempty"`
	Set       string `json:"applicationSet,omitempty"`
	Parent    string `json:"parent,omitempty"`
	Error     string `json:"error,omitempty"`
}

func (l *appsCommand) run(ctx context.Context, p *program, args []string) error {
	if err := errors.Join(l.check(), oneOf("output", l.output, formats...)); err != nil {
		return err
	}
	l.noStamp = true
	source, err := l.source(ctx, p, args)
	if err != nil {
		return err
	}
	names, err := source.Names(ctx)
	if err != nil {
		return err
	}
	all := make([]listedApp, len(names))
	errs := fleet.Each(ctx, len(names), func(ctx context.Context, i int) error {
		all[i].Name = names[i]
		a, err := source.Application(ctx, names[i])
		if err == nil {
			all[i], err = listingOf(a)
		}
		if err != nil {
			all[i].Error = errorText(err)
		}
		return err
	}, nil)
	if err := printApps(p, all, l.output); err != nil {
		return err
	}
	return fleet.Join(names, errs)
}

// listingOf returns what there is to list of an application.
func listingOf(a *app.Application) (listedApp, error) {
	o, q := a.Origin(), a.Request()
	out := listedApp{
		Name: a.Name(), Path: fromHere(a.Path()), Namespace: string(a.Settings().Namespace.Value),
		File: fromHere(o.Pos.File), Line: o.Pos.Line, Set: strings.TrimPrefix(o.Set, "ApplicationSet "), Parent: o.Parent,
	}
	kind := a.Kind()
	if kind == "" && a.Stream() == nil {
		var err error
		if kind, _, err = pipeline.Detect(q.Files, a.Path()); err != nil {
			return out, err
		}
	}
	if out.Kind = string(kind); out.Kind == "helm" {
		out.Release = q.Helm.ReleaseName
	}
	return out, nil
}

// printApps prints a list of applications in one of the formats.
func printApps(p *program, all []listedApp, format string) error {
	if format == "json" {
		list := struct {
			Applications []listedApp `json:"applications"`
		}{all}
		return p.emitJSON("applications", list, jsonForm{indent: "  ", escaped: true})
	}
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tKIND\tNAMESPACE\tPATH\tFROM")
	for _, a := range all {
		from := diag.Position{File: a.File, Line: a.Line}.String()
		switch {
		case a.Error != "":
			from = "failed"
		case a.Set != "":
			from += ", ApplicationSet " + a.Set
		case a.Parent != "":
			from += ", in " + a.Parent
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", a.Name, a.Kind, a.Namespace, a.Path, from)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return p.emit(&out)
}
