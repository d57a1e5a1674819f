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
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/fleet/index"
	"github.com/rollstamp/rollstamp/flux/publish"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/report"
	"github.com/rollstamp/rollstamp/wiring"
	"github.com/rollstamp/rollstamp/workspace"
)

type renderCommand struct {
	renderFlags
	outputDir string
	plaintext bool // decrypted values may be written in clear text
	shard     fleet.Shard
	check     bool
	prune     bool
	findings  findingsTo
}

func newRender(p *program) *cobra.Command {
	var r renderCommand
	c := &cobra.Command{
		Use:   "render [PATH...]",
		Short: "Render charts, kustomizations and plain manifests, stamped",
		Long: `Render each PATH (by default the working folder) and print its manifests, stamped.

A folder with a Chart.yaml is a Helm chart, one with a kustomization.yaml a kustomization, and any
other holds plain manifests; --as overrides that, and -v prints what was found. A file is plain
manifests or a packed chart, and - is standard input. Nothing is printed unless all of it could be
rendered.

With --output-dir, each application goes to its own file DIR/PATH/manifests.yaml, the working folder
to DIR/manifests.yaml, and with --as flux each to DIR/NAMESPACE/NAME.yaml. They are rendered side by
side, and one that fails does not stop the others. DIR/.rollstamp-index lists these files; of
applications that are gone, --prune removes them. With --as flux, DIR is what one Kustomization is
to apply: DIR/.sourceignore has Flux leave out what charts render, whose stamps their HelmReleases
have as patches. With --no-stamp the files are what each Kustomization and HelmRelease applies.`,
		Example: `  rollstamp render charts/web -n shop -f values.yaml --set image.tag=1.2.3
  rollstamp render overlays/prod
  rollstamp render --recursive manifests/
  rollstamp render --output-dir rendered --prune 'apps/*'
  rollstamp render --output-dir rendered --check 'apps/*'`,
		RunE: func(c *cobra.Command, args []string) error {
			return p.isolated(c, args, func() error { return r.run(c.Context(), p, args) })
		},
	}
	r.declare(c)
	return c
}

// declare adds the flags.
func (r *renderCommand) declare(c *cobra.Command) {
	r.add(c)
	r.findings.add(c)
	addIsolate(c.Flags())
	c.Flags().BoolVar(&r.noStamp, "no-stamp", false, "render only")
	c.Flags().Var(&r.shard, "shard", "render a part of the PATHs only, as 2/5")
	c.Flags().StringVar(&r.outputDir, "output-dir", "", "write each application to a file of its own below this folder")
	c.Flags().BoolVar(&r.plaintext, plaintextFlag, false,
		"with --output-dir: write values of Secrets that were decrypted, or come from --vars, in clear text")
	c.Flags().BoolVar(&r.check, "check", false,
		"with --output-dir: write nothing, and end with 1 where a file is not what would be written, or left over")
	c.Flags().BoolVar(&r.prune, "prune", false,
		"with --output-dir: remove files of applications that are gone, where an earlier run wrote them")
}

func (r *renderCommand) run(ctx context.Context, p *program, args []string) error {
	if err := r.renderFlags.check(); err != nil {
		return err
	}
	r.resolved = &wiring.Resolved{}
	source, err := r.source(ctx, p, args)
	if err != nil {
		return err
	}
	if r.outputDir != "" {
		source = r.published(source, publishedSecrets(r.plaintext))
	}
	names, err := source.Names(ctx)
	if err != nil {
		return r.withLeftovers(err, args)
	}
	if err := r.validate(names); err != nil {
		return err
	}
	var folder *outputFolder
	if r.outputDir != "" {
		if folder, err = r.openOutput(source, args, names); err != nil {
			return err
		}
		if _, err := publishedNames(ctx, p.err, source, names); err != nil {
			return err
		}
	}
	names = r.shard.Select(names)
	objects := objectsOf(source, names)
	merge, _ := source.(sourcesOfApplications)
	var beside *publish.Beside
	if r.outputDir != "" {
		if source, beside, err = besideEarlier(source, folder, names); err != nil {
			return err
		}
	}
	source = r.withHistory(p, source, args)
	done := r.newRendered(len(names))
	if merge != nil {
		done.several = merge.Several(names)
	}
	errs := fleet.RunLazily(ctx, toOutput{source}, names, done.use, p.progress())
	fleet.RefuseRenames(ctx, done.outcomes, errs)
	done.merge(ctx, merge, errs)
	done.putRenamed(ctx, errs)
	reportUnstamped(p.err, beside)
	err = r.findings.report(ctx, p, done.outcomes)
	fleet.AddLost(done.outcomes, errs)
	err = errors.Join(err, fleet.Join(names, errs))
	switch {
	case folder == nil && err == nil:
		return p.emit(fleet.Sequence(done.outcomes))
	case folder == nil, r.check && err != nil:
		return err
	case r.check:
		return r.showStale(ctx, p, done.stale, folder, objects)
	}
	return errors.Join(err, folder.close(ctx, p, r.prune, done, names, errs), folder.ignores.write())
}

// newRendered returns the record of a run over n applications.
func (r *renderCommand) newRendered(n int) *rendered {
	done := newRendered(n)
	done.check, done.plaintext = r.check, r.plaintext
	if r.outputDir != "" {
		done.dir = fleet.NewOutputFolder(r.outputDir)
	}
	return done
}

// withHistory returns the source whose applications at paths know what they rendered to at earlier commits.
func (r *renderCommand) withHistory(p *program, source app.Source, args []string) app.Source {
	if _, isEngine := r.engine(); isEngine {
		return source
	}
	return wiring.WithHistory(source, func(at app.Place) app.Source {
		return &inventory.Source{Builder: r.applications(p.wiring), Place: at, Patterns: args, Absent: true,
			Adapters: r.readers(p, workspace.WorkTree, "")}
	})
}

// validate finds combinations that cannot work before anything is read.
func (r *renderCommand) validate(paths []string) error {
	readers := 0
	for _, name := range slices.Concat(paths, r.helm.ValuesFiles) {
		if name == "-" {
			readers++
		}
	}
	if slices.Contains(r.helm.ValuesFiles, "-") && len(paths) > 1 {
		readers = len(paths)
	}
	var twice, alone error // each a combination
	if readers > 1 {
		twice = diag.Usage(errors.New("standard input can be read once only"), "Put it into a file.")
	}
	if r.check && (r.outputDir == "" || r.noStamp) {
		alone = diag.Usage(errors.New("--check belongs to --output-dir, and to stamped manifests"),
			"It compares what lies there with a render.")
	}
	if r.prune && (r.outputDir == "" || r.check) {
		alone = errors.Join(alone, diag.Usage(errors.New("--prune belongs to --output-dir, and not to --check"),
			"--check finds what --prune removes."))
	}
	return errors.Join(twice, alone)
}

// objectsOf returns the objects that describe applications of a source.
func objectsOf(source app.Source, names []string) (out []string) {
	described, ok := source.(app.Described)
	if !ok {
		return nil
	}
	for _, name := range names {
		out = append(out, described.Objects(name)...)
	}
	return out
}

// showStale prints what restarts when the stale manifests are written, and what is left over, and ends the run with 1.
// Objects are those that describe the applications of the run.
func (r *renderCommand) showStale(
	ctx context.Context, p *program, stale []*fleet.Stale, folder *outputFolder, objects []string,
) error {
	leftover, err := folder.asStale(ctx)
	if err != nil {
		return err
	}
	stale = slices.DeleteFunc(stale, func(s *fleet.Stale) bool { return s == nil })
	if len(stale)+len(leftover) == 0 && !folder.ignores.isStale() {
		return nil
	}
	c, err := diff.Compare(sides.FromStale(r.outputDir, slices.Concat(stale, leftover), objects))
	if err != nil {
		return err
	}
	settled := c.SettledApps()
	stale = slices.DeleteFunc(stale, func(s *fleet.Stale) bool { return settled[s.Name] })
	if len(stale)+len(leftover) == 0 && !folder.ignores.isStale() {
		return nil
	}
	var out bytes.Buffer
	if len(stale) > 0 {
		const text = "%d of the manifests in %s are not what their sources render to: " +
			"run it without --check, and commit them.\n\n"
		fmt.Fprintf(&out, text, len(stale), r.outputDir)
	}
	folder.list(&out)
	if err := report.WriteDiff(&out, "text", c, p.resultStyle()); err != nil {
		return err
	}
	p.exit = diag.ExitFindings
	return p.emit(&out)
}

// withLeftovers returns the error of a run that finds no application, with what to do where an earlier run with the
// same arguments wrote files. It removes none: whether the applications are gone, or their folder only is not there, is
// not known.
func (r *renderCommand) withLeftovers(err error, args []string) error {
	var none *app.NoneError
	var known *diag.Error
	if r.outputDir == "" || !errors.As(err, &none) || !errors.As(err, &known) {
		return err
	}
	have, readErr := index.Read(r.outputDir)
	if readErr != nil {
		return err
	}
	leftovers, readErr := index.Run{Dir: r.outputDir, Arguments: args, Shard: r.shard}.Leftovers(have)
	if readErr != nil || len(leftovers) == 0 {
		return err
	}
	files := make([]string, len(leftovers))
	for i, l := range leftovers {
		files[i] = l.File
	}
	more := *known
	more.Hint = "Where the last of them is gone on purpose, remove what it was rendered to: rm " + strings.Join(files, " ")
	return &more
}

// openOutput reads what the output folder holds that none of the applications of the run writes. Names are those of all
// shards.
func (r *renderCommand) openOutput(source app.Source, args, names []string) (*outputFolder, error) {
	out := &outputFolder{
		source:   source,
		run:      index.Run{Dir: r.outputDir, Arguments: args, Names: names, Shard: r.shard},
		argument: func(string) string { return "" },
	}
	if e, ok := r.engine(); ok {
		out.run.As = string(e.Name)
	}
	if patterns, ok := source.(interface{ Pattern(name string) string }); ok {
		out.argument = patterns.Pattern
	}
	have, err := index.Read(r.outputDir)
	if err != nil {
		return nil, err
	}
	if !r.check {
		if err := out.run.CheckForeign(have, r.shard.Select(names)); err != nil {
			return nil, err
		}
	}
	if out.leftovers, err = out.run.Leftovers(have); err != nil {
		return nil, err
	}
	out.ignores, err = out.ignored()
	return out, err
}
