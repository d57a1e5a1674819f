package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// applicationFlags are the flags of the commands that render Applications.
type applicationFlags struct {
	pluginFlags
	repos     []string
	revisions bool
	clusters  string
	home      string
	plugins   []string
}

func (f *applicationFlags) add(c *cobra.Command) {
	flags := c.Flags()
	f.addSettings(c, config.Stamping, config.Fetching)
	f.addNamed(c, "kube-version", "api-versions")
	f.renderOnly(flags)
	flags.DurationVar(&f.timeout, "timeout", 0, "time that one source may take; 0 is no limit")
	flags.StringVar(&f.loadRestrictor, "load-restrictor", rootOnly, "kustomize: with "+rootNone+", files may lie outside the kustomization's folder")
	offer(c, "load-restrictor", rootOnly, rootNone)
}

// renderOnly adds those that say where things are.
func (f *applicationFlags) renderOnly(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.repos, "repo", nil, "where a repository lies on this machine: URL=FOLDER; for one of charts, a folder with the charts")
	flags.BoolVar(&f.revisions, "revisions", false, "read repositories on this machine at the revision that each source names, instead of the work tree")
	flags.StringVar(&f.clusters, "clusters", "", "file with the Secrets that register clusters, for generators that ask for them")
	flags.StringVar(&f.home, "argocd-namespace", "argocd", "namespace that Argo CD lives in; the names of Applications elsewhere begin with theirs")
	flags.StringSliceVar(&f.plugins, "plugin", []string{pluginDefault}, "names of plugins that are rollstamp")
}

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
sources that name rollstamp as their plugin. A folder stands for its files, - for standard input.

A repository is read on this machine where it is the one that FILE lies in, by the addresses of its
remotes, or where --repo says so: its work tree, whatever revision a source names, or with --revisions
the commit that it names. There HEAD is the remote's default branch, another name a branch or tag of
this machine first, then a branch of the remote origin. Other repositories, and charts, are fetched
where --allow network says so. ApplicationSets need no cluster for the generators list, git, matrix and merge; for clusters there
is --clusters.

Manifests are those that Argo CD's repo-server would give: it adds no namespace to objects that name
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
		RunE: func(c *cobra.Command, args []string) error { return p.runArgocdRender(c.Context(), &r, args) },
	}
	r.add(c)
	c.Flags().BoolVar(&r.noStamp, "no-stamp", false, "render only")
	c.Flags().BoolVar(&r.recursive, "recursive", false, "render the Applications, too, that are found in what was rendered")
	c.Flags().BoolVar(&r.listed, "applications", false, "print the Applications themselves, those that ApplicationSets make among them, instead of what they render")
	c.Flags().StringVar(&r.outputDir, "output-dir", "", "write each application to a file of its own below this folder")
	return c
}

func (p *program) runArgocdRender(ctx context.Context, r *applicationsCommand, paths []string) error {
	w, err := p.world(&r.applicationFlags, paths)
	if err != nil {
		return err
	}
	defer func() { _ = w.instance.Repositories.Close() }() // it was only read
	round, sets, errs := w.read(ctx, p, paths)
	p.tellRepeated(r, round)
	var done []rendered
	seen := map[string]bool{}
	for depth := 0; len(round) > 0 && depth < maxRounds; depth++ {
		round = slices.DeleteFunc(round, func(a *apps.Application) bool {
			key := a.Namespace + "/" + a.Name
			again := seen[key]
			seen[key] = true
			return again
		})
		results := asTheyAre(round)
		if r.recursive || !r.listed {
			results = p.renderRound(ctx, r, w, round)
		}
		done = append(done, results...)
		if round = nil; r.recursive {
			var more []error
			round, more = w.inside(ctx, results)
			errs = append(errs, more...)
		}
	}
	var outcomes []fleet.Outcome
	for _, d := range done {
		outcomes = append(outcomes, d.outcomes...)
		errs = append(errs, d.err)
	}
	p.report(ctx, outcomes)
	if len(done) == 0 && errors.Join(errs...) == nil {
		return nothingToRender(paths[0], sets)
	}
	switch err := errors.Join(errs...); {
	case err != nil:
		return err
	case r.listed:
		return p.list(done)
	case r.outputDir != "":
		return nil
	}
	return p.emit(fleet.Sequence(outcomes))
}

// nothingToRender returns the error of input without Applications, whose ApplicationSets, if any, generated none.
func nothingToRender(path string, sets []*appset.Set) error {
	if len(sets) == 0 {
		return diag.Input(diag.Position{File: path}, errors.New("holds no Application and no ApplicationSet"), "")
	}
	errs := make([]error, len(sets))
	for i, set := range sets {
		errs[i] = set.NoApplications()
	}
	return errors.Join(errs...)
}

// tellRepeated reports of Applications that are written more than once.
func (p *program) tellRepeated(r *applicationsCommand, round []*apps.Application) {
	found := apps.Repeated(round)
	for _, f := range found {
		if config.FailOn(r.set.Lookup("fail-on").Value.String()).Reached(f.Severity) {
			p.exit = diag.ExitFindings
		}
	}
	p.warn(found)
}

// asTheyAre are applications that are not rendered.
func asTheyAre(round []*apps.Application) []rendered {
	out := make([]rendered, len(round))
	for i, a := range round {
		out[i].app = a
	}
	return out
}

// list prints the Applications themselves.
func (p *program) list(done []rendered) error {
	var out bytes.Buffer
	for _, d := range done {
		text, err := d.app.YAML()
		if err != nil {
			return err
		}
		out.Write(text)
	}
	return p.emit(&out)
}

// maxRounds bounds Applications that make Applications.
const maxRounds = 16

// rendered is an application after its render.
type rendered struct {
	app      *apps.Application
	outcomes []fleet.Outcome // of its sources
	err      error
}

// renderRound renders applications side by side.
func (p *program) renderRound(ctx context.Context, r *applicationsCommand, w *world, round []*apps.Application) []rendered {
	out := make([]rendered, len(round))
	errs := fleet.Each(ctx, len(round), func(ctx context.Context, i int) error {
		out[i] = rendered{app: round[i]}
		return p.renderApplication(ctx, r, w, &out[i])
	}, p.progress())
	for i, err := range errs {
		out[i].app, out[i].err = round[i], err
	}
	return out
}

func (p *program) renderApplication(ctx context.Context, r *applicationsCommand, w *world, to *rendered) error {
	parts, err := to.app.Parts(ctx, &w.instance)
	if err != nil {
		return err
	}
	for _, part := range parts {
		o, err := p.renderPart(ctx, r, part)
		if err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
		to.outcomes = append(to.outcomes, o)
	}
	if err := to.settle(); err != nil || r.outputDir == "" || r.listed {
		return err
	}
	file := filepath.Join(r.outputDir, to.app.Namespace, to.app.Name+".yaml")
	_, err = fleet.WriteFile(file, fleet.Sequence(to.outcomes))
	return err
}

// settle leaves of objects that several sources render the last one.
func (r *rendered) settle() error {
	if len(r.outcomes) < 2 {
		return nil
	}
	texts := make([][]byte, len(r.outcomes))
	for i, o := range r.outcomes {
		var text bytes.Buffer
		if _, err := o.Result.WriteTo(&text); err != nil {
			return err
		}
		texts[i] = text.Bytes()
	}
	kept, found, err := apps.LastOnly(texts, r.app.Spec.Destination.Namespace)
	for i, text := range kept {
		if len(found[i]) > 0 {
			r.outcomes[i].Result = &pipeline.Result{Output: &render.Output{Text: text}}
			r.outcomes[i].Findings = append(r.outcomes[i].Findings, found[i]...)
		}
	}
	return err
}

// noLimit is longer than any render takes.
const noLimit = 24 * time.Hour

// partJob prepares a source as a plugin's call is prepared.
func (p *program) partJob(part apps.Part, f *applicationFlags) (*plugin.Job, error) {
	flags := f.pluginFlags
	flags.timeout = cmp.Or(flags.timeout, noLimit)
	return flags.job(p.wiring, part.Call)
}

func (p *program) renderPart(ctx context.Context, r *applicationsCommand, part apps.Part) (fleet.Outcome, error) {
	j, err := p.partJob(part, &r.applicationFlags)
	if err != nil {
		return fleet.Outcome{}, err
	}
	a := j.App.WithName(part.Name)
	if r.noStamp {
		a = a.WithoutStamping().WithoutSecondRender()
	}
	result, err := pipeline.Run(ctx, a)
	if err != nil {
		return fleet.Outcome{}, part.Call.Tell(err)
	}
	o := fleet.OutcomeOf(a, result).WithRewrite(part.Call.PlainFinding)
	if rev := part.Call.TargetRevision; part.Work && rev != "" && rev != "HEAD" {
		o.Why += "; its files are those of the work tree, not of " + rev
	}
	return o, nil
}
