package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
)

type renderCommand struct {
	renderFlags
	noStamp   bool
	outputDir string
	shard     shard
	check     bool
	stale     stale
	findings  findingsTo
}

func (p *program) render() *cobra.Command {
	var r renderCommand
	c := &cobra.Command{
		Use:   "render [PATH...]",
		Short: "Render charts, kustomizations and plain manifests, stamped",
		Long: `Render each PATH (by default the working folder) and print its manifests, stamped.

A folder with a Chart.yaml is a Helm chart, one with a kustomization.yaml a kustomization, and any
other holds plain manifests; --as says otherwise, and -v tells what was found. A file is plain
manifests or a packed chart, and - is standard input. Nothing is printed unless all of it could be
rendered.

With --output-dir, each application goes to its own file DIR/PATH/manifests.yaml. They are rendered
side by side, and one that fails does not stop the others.`,
		Example: `  rollstamp render charts/web -n shop -f values.yaml --set image.tag=1.2.3
  rollstamp render overlays/prod
  rollstamp render --recursive manifests/
  rollstamp render --output-dir rendered apps/*
  rollstamp render --output-dir rendered --check apps/*`,
		RunE: func(c *cobra.Command, args []string) error { return p.runRender(c.Context(), &r, args) },
	}
	r.add(c)
	r.findings.add(c)
	c.Flags().BoolVar(&r.noStamp, "no-stamp", false, "render only")
	c.Flags().Var(&r.shard, "shard", "render a part of the PATHs only, as 2/5")
	c.Flags().StringVar(&r.outputDir, "output-dir", "", "write each application to a file of its own below this folder")
	c.Flags().BoolVar(&r.check, "check", false, "with --output-dir: write nothing, and end with 1 where a file is not what would be written")
	return c
}

func (p *program) runRender(ctx context.Context, r *renderCommand, paths []string) error {
	paths, err := p.paths(paths)
	if err != nil {
		return err
	}
	if err := errors.Join(r.checkPaths(paths), checkStale(r.check, r.outputDir, r.noStamp)); err != nil {
		return err
	}
	paths = r.shard.keep(paths)
	files := make([]string, len(paths))
	if r.outputDir != "" {
		if files, err = pipeline.Places(r.outputDir, paths); err != nil {
			return err
		}
	}
	outcomes := make([]outcome, len(paths))
	line := p.progress(len(paths))
	errs := pipeline.Each(ctx, len(paths), func(ctx context.Context, i int) (err error) {
		outcomes[i], err = p.renderOne(ctx, r, paths[i], files[i])
		return err
	}, line.show)
	line.clear()
	err = errors.Join(r.findings.tell(ctx, p, paths, outcomes), together(paths, errs))
	if err == nil && r.check {
		err = r.stale.tell(p, r.outputDir)
	}
	if err != nil || r.outputDir != "" {
		return err
	}
	return p.emit(sequence(outcomes))
}

// checkPaths finds combinations that cannot work before anything is read.
func (r *renderCommand) checkPaths(paths []string) error {
	if err := r.renderFlags.check(); err != nil {
		return err
	}
	readers := 0
	for _, name := range slices.Concat(paths, r.helm.ValuesFiles) {
		if name == "-" {
			readers++
		}
	}
	if slices.Contains(r.helm.ValuesFiles, "-") && len(paths) > 1 {
		readers = len(paths)
	}
	if readers > 1 {
		return diag.Usage(errors.New("standard input can be read once only"), "Put it into a file.")
	}
	return nil
}

// renderOne takes one application from its files to its result or, where file is given, into that.
func (p *program) renderOne(ctx context.Context, r *renderCommand, path, file string) (outcome, error) {
	paths := r.applications(p.wiring)
	paths.RenderOnly = r.noStamp
	a, err := paths.Application(ctx, p.wiring.Disk(), path)
	if err != nil {
		return outcome{}, err
	}
	result, err := pipeline.Run(ctx, a)
	if err != nil {
		return outcome{}, err
	}
	o := outcomeOf(a, result)
	if file != "" && r.check {
		o.letGo()
		return o, r.stale.compare(ctx, a, path, file, result)
	}
	if file != "" {
		o.letGo()
		_, err = pipeline.WriteFile(file, result)
	}
	return o, err
}

// together joins the errors of several applications, each with the name of its own.
func together(paths []string, errs []error) error {
	if len(paths) == 1 {
		return errs[0]
	}
	var named []error
	for i, err := range errs {
		for _, one := range diag.Unjoin(err) {
			named = append(named, fmt.Errorf("%s: %w", paths[i], one))
		}
	}
	return errors.Join(named...)
}
