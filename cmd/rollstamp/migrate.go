package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/migrate"
	"github.com/rollstamp/rollstamp/pipeline"
)

type migrateCommand struct {
	renderFlags
	output string
	write  bool
}

func newMigrate(p *program) *cobra.Command {
	var m migrateCommand
	c := &cobra.Command{
		Use:   "migrate [PATH...]",
		Short: "Report what is there of other tools that restart workloads, and what replacing them changes",
		Long: `Render each PATH (by default the working folder) and print, tool by tool: the annotations and fields
that are there, what rollstamp does with them, the workloads that would be stamped and that the tool did
not restart, those that only the tool restarts, and what is left over. Reloader's arguments are taken
from its Deployment, or from the values of its chart in a HelmRelease or an Application.

A folder that is no application by itself, such as the top of a repository, stands for the charts, the
kustomizations and the folders of plain manifests below it. A kustomization that cannot be built is read
as plain manifests, with a note. Pass --as flux or --as argocd to have what their objects describe rendered
as they apply it.

Files that are no manifests, such as values for a chart that lies elsewhere, are listed where they mention
a tool: render what reads them.

It ends with the settings that honour these tools; --write adds them to .rollstamp.yaml. What is set
there stays as it is, and no other file is changed.`,
		Example: `  rollstamp migrate
  rollstamp migrate 'apps/*' --write
  rollstamp migrate --as flux clusters/prod -o json`,
		RunE: func(c *cobra.Command, args []string) error { return m.run(c.Context(), p, args) },
	}
	m.add(c)
	c.Flags().BoolVar(&m.write, "write", false, "add the settings to .rollstamp.yaml instead of printing them only")
	addFormat(c, &m.output, formats...)
	return c
}

func (m *migrateCommand) run(ctx context.Context, p *program, args []string) error {
	if err := errors.Join(m.check(), oneOf("output", m.output, formats...)); err != nil {
		return err
	}
	parts, err := m.below(ctx, p, args)
	if err != nil {
		return err
	}
	came, err := m.renderAll(ctx, p, parts)
	if err != nil {
		return err
	}
	failed := came.failed
	report, err := migrate.New(ctx, came.all)
	if err != nil {
		return errors.Join(failed, err)
	}
	if err := m.lookElsewhere(report, args, came); err != nil {
		return errors.Join(failed, err)
	}
	if report.Objects == 0 && failed == nil && len(report.Mentioned) == 0 {
		where := cmp.Or(strings.Join(args, ", "), ".")
		return diag.Input(diag.Position{}, fmt.Errorf("migrate %s: there are no manifests", where),
			"Name the applications as rollstamp migrate 'apps/*'; --recursive reads the folders below, too, and --as flux "+
				"or --as argocd renders what the objects of Flux or Argo CD describe.")
	}
	report.Failures = came.failures
	report.Failed = failed != nil
	_, report.ByEngine = m.engine()
	if report.Failed && !report.ByEngine && report.Objects == 0 && len(report.Mentioned)+len(report.Unread) == 0 {
		return failed // nothing is known
	}
	if err := m.print(p, report); err != nil {
		return err
	}
	noteAbove(p, args, report)
	if m.write {
		err = writeSettings(p, report)
	}
	return errors.Join(failed, err)
}

// everything is what came of all parts.
type everything struct {
	all      []fleet.Rendered
	failed   error    // of the applications that failed
	failures []string // their names
}

// renderAll renders all parts. The error is one of a whole part.
func (m *migrateCommand) renderAll(ctx context.Context, p *program, parts []looked) (out everything, err error) {
	plain := &parts[len(parts)-1]
	built, read := map[string]bool{}, map[string]bool{} // those of others that cannot be built among them
	for i := range parts {
		if parts[i].takes != nil {
			addNew(nil, parts[i].paths, built)
		}
		for part := parts[i]; len(part.paths) > 0; {
			names, rendered, errs, err := m.render(ctx, p, part)
			if err != nil {
				return out, err
			}
			part.paths = nil
			for k, err := range errs {
				if part.takes == nil || err == nil || ctx.Err() != nil {
					continue
				}
				if isOfConfiguration(err) { // it counts for plain manifests, too
					return out, err
				}
				fmt.Fprintf(p.err, "note: %s cannot be built, and is read as plain manifests: %s\n", names[k], errorText(err))
				errs[k] = nil
				kustomizations, folders := part.insteadOf(names[k])
				part.paths, plain.paths = addNew(part.paths, kustomizations, built), addNew(plain.paths, folders, read)
			}
			out.all, out.failed = append(out.all, rendered...), errors.Join(out.failed, fleet.Join(names, errs))
			for k, err := range errs {
				if err != nil {
					out.failures = append(out.failures, names[k])
				}
			}
		}
	}
	return out, nil
}

// isOfConfiguration reports whether an error is about a configuration file of ours.
func isOfConfiguration(err error) bool {
	var e *diag.Error
	return errors.As(err, &e) && diag.ExitOf(err) == diag.ExitUsage && filepath.Base(e.Pos.File) == config.FileName
}

// addNew adds the paths that were not seen before.
func addNew(to, paths []string, seen map[string]bool) []string {
	for _, path := range paths {
		if !seen[path] {
			to, seen[path] = append(to, path), true
		}
	}
	return to
}

// render renders the applications of a part, and returns their names with those that did not fail.
func (m *migrateCommand) render(
	ctx context.Context, p *program, part looked,
) (names []string, all []fleet.Rendered, errs []error, err error) {
	flags := m.renderFlags
	flags.as = part.as
	source, err := flags.source(ctx, p, part.paths)
	if err != nil {
		return nil, nil, nil, err
	}
	if names, err = source.Names(ctx); err != nil {
		return nil, nil, nil, err
	}
	if m.write && slices.Contains(names, "-") {
		err = errors.New("--write: standard input has no " + config.FileName)
		return nil, nil, nil, diag.Usage(err, "Leave --write out, or name a PATH.")
	}
	all = make([]fleet.Rendered, len(names))
	use := func(_ context.Context, i int, a *app.Application, result *pipeline.Result) error {
		all[i] = fleet.Rendered{App: a, Result: result}
		return nil
	}
	errs = fleet.Run(ctx, app.ToRetain(source), names, use, p.progress())
	return names, slices.DeleteFunc(all, func(r fleet.Rendered) bool { return r.App == nil }), errs, nil
}

// print prints the report.
func (m *migrateCommand) print(p *program, r *migrate.Report) error {
	if m.output == "json" {
		shown := *r
		shown.Files = slices.Clone(r.Files)
		for i := range shown.Files {
			shown.Files[i].Path = fromHere(shown.Files[i].Path)
		}
		r = &shown
		return p.emitJSON("what other tools have", r, indentedJSON)
	}
	var out bytes.Buffer
	if err := r.WriteText(&out, fromHere); err != nil {
		return err
	}
	return p.emit(&out)
}

// writeSettings adds the settings to the configuration files.
func writeSettings(p *program, r *migrate.Report) error {
	var errs []error
	for i := range r.Files {
		f := &r.Files[i]
		if err := f.Refused(); err != nil {
			errs = append(errs, err)
			continue
		}
		if f.Text() == nil {
			continue
		}
		changed, err := fleet.WriteFile(f.Path, bytes.NewReader(f.Text()))
		if changed {
			fmt.Fprintf(p.err, "%s is written\n", fromHere(f.Path))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
