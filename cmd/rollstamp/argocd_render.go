package main

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/wiring"
)

type applicationsCommand struct {
	applicationFlags
	noStamp, recursive, listed bool
	outputDir                  string
}

func newArgocdRender(p *program) *cobra.Command {
	var r applicationsCommand
	c := &cobra.Command{
		Use:   "render FILE...",
		Short: "Render what Argo CD would apply for Applications and ApplicationSets",
		Long: `Render the sources of the Applications in each FILE, which may hold other objects too, and of those
that its ApplicationSets make, as Argo CD would: native options, several sources with $ref, and
sources that name rollstamp as their plugin. A folder is all of its files, - is standard input.

A repository is read on this machine where it is the one that FILE lies in, by the addresses of its
remotes, or where --repo says so: its work tree, whatever revision a source names, or with --revisions
the commit that it names. There HEAD is the remote's default branch, another name a branch or tag of
this machine first, then a branch of the remote origin. Other repositories, and charts, are fetched
where --allow network says so. ApplicationSets need no cluster for the generators list, git, matrix
and merge; for clusters there is --clusters.

Manifests are those that Argo CD's repo-server would return: it adds no namespace to objects that name
none, and neither do we; its tracking labels and annotations are not added. Unless --no-stamp is given,
they are stamped as the plugin would stamp them, each source by itself. Of an object that several
sources render, the last one is printed, as Argo CD applies it.

Standard output is one stream, in the order of the applications, or nothing if one of them failed;
with --output-dir each goes to a file of its own, DIR/NAMESPACE/NAME.yaml by the Application's
namespace and name, and one that fails does not stop the others.`,
		Example: `  rollstamp argocd render apps/web.yaml
  rollstamp argocd render --recursive --output-dir rendered root.yaml
  rollstamp argocd render --applications applicationset.yaml
  rollstamp argocd render --repo https://charts.example.org=vendor/charts --revisions applicationset.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.isolated(c, args, func() error { return r.run(c.Context(), p, args) })
		},
	}
	r.add(c)
	addIsolate(c.Flags())
	c.Flags().BoolVar(&r.noStamp, "no-stamp", false, "render only")
	c.Flags().BoolVar(&r.recursive, "recursive", false,
		"render the Applications, too, that are found in what was rendered")
	c.Flags().BoolVar(&r.listed, "applications", false,
		"print the Applications themselves, those that ApplicationSets make among them, instead of what they render")
	c.Flags().StringVar(&r.outputDir, "output-dir", "", "write each application to a file of its own below this folder")
	return c
}

func (r *applicationsCommand) run(ctx context.Context, p *program, paths []string) error {
	paths, err := inventory.Expand(p.wiring.Disk().Files, paths)
	if err != nil {
		return err
	}
	w, err := r.world(p, paths)
	if err != nil {
		return err
	}
	defer func() { _ = w.Repositories.Close() }() // it was only read
	objects, errs := readObjects(p, nil, paths)
	first, more := w.Applications(ctx, objects...)
	done, between := rounds.Renderer{
		World: w, New: r.newApplication(p), Recursive: r.recursive, ListOnly: r.listed, OutputDir: r.outputDir,
		Earlier: wiring.EarlierIn, Progress: p.progress(),
	}.Render(ctx, first)
	errs = slices.Concat(errs, more, between)
	var outcomes []fleet.Outcome
	for _, d := range done {
		outcomes = append(outcomes, d.Outcomes...)
		errs = append(errs, d.Err)
	}
	r.reportRepeated(p, first)
	p.report(ctx, outcomes)
	if len(done) == 0 && errors.Join(errs...) == nil {
		return nothingToRender(paths[0], objects)
	}
	switch err := errors.Join(errs...); {
	case err != nil:
		return err
	case r.listed:
		return printApplications(p, done)
	case r.outputDir != "":
		return nil
	}
	return p.emit(fleet.Sequence(outcomes))
}

// newApplication returns what makes the application of a source, stamped unless the user wants none of that.
func (r *applicationsCommand) newApplication(p *program) rounds.NewApplication {
	stamped := r.part(p)
	if !r.noStamp {
		return stamped
	}
	return withoutStamps(stamped)
}

// nothingToRender returns the error of input without Applications, whose ApplicationSets, if any, generated none.
func nothingToRender(path string, objects []*appset.Objects) error {
	if err := appset.NoApplications(objects); err != nil {
		return err
	}
	return diag.Input(diag.Position{File: path}, errors.New("holds no Application and no ApplicationSet"),
		renderedFirst("render"))
}

// reportRepeated reports Applications that are written more than once.
func (r *applicationsCommand) reportRepeated(p *program, round []*apps.Application) {
	found := apps.FindRepeated(round)
	for _, f := range found {
		if config.FailOn(r.set.Lookup("fail-on").Value.String()).IsReached(f.Severity) {
			p.exit = diag.ExitFindings
		}
	}
	p.warn(found)
}

// printApplications prints the Applications themselves.
func printApplications(p *program, done []rounds.Rendered) error {
	var out bytes.Buffer
	for _, d := range done {
		text, err := d.Application.YAML()
		if err != nil {
			return err
		}
		out.Write(text)
	}
	return p.emit(&out)
}
