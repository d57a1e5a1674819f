package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/report"
)

type diffCommand struct {
	renderFlags
	from, to         string
	fromFile, toFile string
	dirs             bool
	binary           string
	level            int
	exitZero         bool
	asIs             bool
	shard            shard
	output           string
}

// worktree is the word for the files as they are now.
const worktree = "worktree"

func (p *program) diff() *cobra.Command {
	var d diffCommand
	c := &cobra.Command{
		Use:   "diff [PATH...]",
		Short: "Tell what will restart, and why, from one revision to another",
		Long: `Render each PATH (by default the working folder) as it was and as it is, and tell which workloads
restart and why, which restart though nothing that they read has changed, which configuration changes
and restarts nothing, and what else changes in the objects. Values of Secrets are never shown.

Revisions are read from the repository itself: no file of the work tree is touched, and no git is
needed. Without --from it is the commit where this branch left the default branch. A PATH may be a
pattern in quotes, as 'apps/*', which finds on each side the applications that are there.

With --dirs the two PATHs are folders to compare; as kubectl diff gives them, with what the cluster has:
KUBECTL_EXTERNAL_DIFF="rollstamp diff --dirs --as-is" kubectl diff -f manifests/.

The exit code is 0 where nothing differs, 1 where something does, and higher for an error.`,
		Example: `  rollstamp diff 'apps/*'
  rollstamp diff overlays/prod --from v1.4.0 --to v1.5.0
  rollstamp diff charts/web -f values.yaml --from HEAD~1 -o json
  rollstamp diff --from-file before.yaml --to-file after.yaml
  rollstamp diff 'apps/*' --shard 1/4 -o json > part-1.json
  rollstamp diff --dirs chart-1.0 chart-1.1`,
		RunE: func(c *cobra.Command, args []string) error { return p.runDiff(c.Context(), &d, args) },
	}
	d.add(c)
	f := c.Flags()
	f.StringVar(&d.from, "from", "", "revision to compare with (default: where this branch left the default branch)")
	f.StringVar(&d.to, "to", worktree, "revision to compare, or "+worktree+": the files as they are")
	f.StringVar(&d.fromFile, "from-file", "", "rendered manifests to compare with")
	f.StringVar(&d.toFile, "to-file", "", "rendered manifests to compare; - is standard input")
	f.StringVar(&d.binary, "against-binary", "", "compare with what another rollstamp at this path makes of the same files: what an upgrade restarts")
	f.IntVar(&d.level, "against-level", 0, "compare with the stamps of another level of coverage")
	f.BoolVar(&d.dirs, "dirs", false, "the two PATHs are folders: the old one and the new one")
	f.Var(&d.shard, "shard", "compare a part of the applications only, as 2/5: rollstamp report --from-json joins the parts")
	f.BoolVar(&d.asIs, "as-is", false, "with --dirs or --from-file: compare what is there, and stamp nothing")
	f.BoolVar(&d.exitZero, "exit-zero", false, "end with 0 where something differs, too")
	f.StringVarP(&d.output, "output", "o", "text", "format: "+strings.Join(diffFormats, ", "))
	offer(c, "output", diffFormats...)
	return c
}

var diffFormats = []string{"text", "json", "markdown", "html", "sarif", "github", "gitlab", "count"}

func (p *program) runDiff(ctx context.Context, d *diffCommand, paths []string) error {
	if err := errors.Join(d.check(), oneOf("output", d.output, diffFormats...), d.checkSides(paths)); err != nil {
		return err
	}
	c, err := p.compare(ctx, d, paths)
	if err != nil {
		return err
	}
	return p.showDiff(c, d.output, d.exitZero)
}

// showDiff prints a comparison, and keeps what the run is to end with.
func (p *program) showDiff(c *diff.Comparison, format string, zero bool) (err error) {
	var out bytes.Buffer
	switch format {
	case "json":
		err = report.DiffJSON(&out, c)
	case "markdown":
		report.DiffMarkdown(&out, c)
	case "html":
		err = report.DiffHTML(&out, c)
	case "sarif":
		err = report.DiffSARIF(&out, c, release)
	case "github":
		report.DiffGitHub(&out, c)
	case "count":
		fmt.Fprintln(&out, report.Restarts(c))
	case "gitlab":
		err = report.DiffGitLab(&out, c)
	default:
		report.DiffText(&out, c, report.DiffStyle{Color: p.style().Color && terminal(p.out), All: p.verbose})
	}
	if err != nil {
		return err
	}
	switch {
	case c.Failed():
		p.exit = diag.ExitInput
	case c.Differs() && !zero:
		p.exit = diag.ExitFindings
	}
	return p.emit(bytes.NewBuffer(bytes.ToValidUTF8(out.Bytes(), []byte("\uFFFD")))) // names of files may be any bytes; what is posted may not
}

func (d *diffCommand) checkSides(paths []string) error {
	files := d.fromFile != "" || d.toFile != ""
	switch {
	case slices.Contains(d.helm.ValuesFiles, "-"):
		return diag.Usage(errors.New("values on standard input can be read once, and there are two sides"), "Write them into a file.")
	case d.asIs && !files && !d.dirs:
		return diag.Usage(errors.New("--as-is is for two folders or two files"), "Revisions are rendered and stamped on both sides.")
	case files && (d.fromFile == "" || d.toFile == ""):
		return diag.Usage(errors.New("--from-file and --to-file belong together"), "Give both.")
	case files && (d.dirs || len(paths) > 0 || d.from != "" || d.set.Changed("to")):
		return diag.Usage(errors.New("two files are compared without PATH, --from, --to and --dirs"), "")
	case (d.binary != "" || d.level != 0) && (files || d.dirs || d.from != "" || d.set.Changed("to") || d.binary != "" && d.level != 0):
		return diag.Usage(errors.New("another binary or level is compared over the same files, and by itself"), "Leave the other flags out.")
	case d.dirs && len(paths) != 2:
		return diag.Usage(errors.New("--dirs takes two PATHs"), "The old folder first.")
	case d.dirs && (d.from != "" || d.set.Changed("to")):
		return diag.Usage(errors.New("two folders are compared without --from and --to"), "")
	}
	return nil
}

func (p *program) compare(ctx context.Context, d *diffCommand, paths []string) (*diff.Comparison, error) {
	switch {
	case d.fromFile != "":
		return p.compareTwo(ctx, d, d.fromFile, d.toFile)
	case d.dirs:
		return p.compareTwo(ctx, d, paths[0], paths[1])
	case d.binary != "" || d.level != 0:
		return p.compareVersions(ctx, d, paths)
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	return p.compareRevisions(ctx, d, paths)
}

// compareTwo compares two paths as one application.
func (p *program) compareTwo(ctx context.Context, d *diffCommand, from, to string) (*diff.Comparison, error) {
	sides := [2]diff.Side{{Label: from}, {Label: to}}
	errs := pipeline.Each(ctx, len(sides), func(ctx context.Context, i int) error {
		app := p.diffApp(ctx, &d.renderFlags, &site{roots: p.wiring.Disk().Roots, recursive: d.dirs, everything: d.dirs && bare(sides[i].Label)}, sides[i].Label)
		app.Name, app.AsIs = "", d.asIs
		sides[i].Apps = []diff.App{app}
		return nil
	}, nil)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return diff.Compare(sides[0], sides[1])
}

// bare reports whether no file of a folder has the ending of a manifest: kubectl diff names its files by their objects.
func bare(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.IsDir() || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name()))
	})
}

// site is where one side's files are.
type site struct {
	label string
	files files.System // nil is the disk
	roots *config.Roots
	tree  *git.Tree // nil for the work tree

	level     config.Level   // of coverage; 0 is what is in force
	trace     *render.Output // of a kustomization, built before: its objects are to know their file
	recursive bool           // folders of plain manifests are read with those below

	everything bool // and all their files, whatever they are called
}

// disk is where applications lie that are rendered as they are.
func (p *program) disk() *site { return &site{roots: p.wiring.Disk().Roots} }

// diffApp renders an application on one side. What goes wrong is the application's.
func (p *program) diffApp(ctx context.Context, f *renderFlags, at *site, path string) diff.App {
	side := diff.App{Name: path}
	place := app.Place{Files: at.files, Roots: at.roots, Recursive: at.recursive, AllFiles: at.everything}
	a, err := f.applications(p.wiring).Application(ctx, place, path)
	if err == nil {
		request := a.Request()
		request.Kustomize.TraceOf = at.trace
		a = a.WithRequest(request)
		if at.level != 0 {
			a = a.WithSettings(a.Settings().WithLevel(at.level, "flag --against-level"))
		}
		side.Result, err = pipeline.Run(ctx, a)
	}
	side.Err = err
	return side
}

// traced goes once more through a kustomization that has changed: now each object knows its file.
func (p *program) traced(ctx context.Context, f *renderFlags, at *site, app diff.App) diff.App {
	if app.Result == nil || app.Result.Output.Kind != render.KindKustomize {
		return app
	}
	with := *at
	with.trace = app.Result.Output
	if again := p.diffApp(ctx, f, &with, app.Name); again.Err == nil {
		return again
	}
	return app
}
