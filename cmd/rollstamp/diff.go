package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/report"
	"github.com/rollstamp/rollstamp/wiring"
	"github.com/rollstamp/rollstamp/workspace"
)

// againstLevel is the flag of the level whose stamps are compared with.
const againstLevel = "against-level"

type diffCommand struct {
	renderFlags
	from, to         string
	fromFile, toFile string
	dirs             bool
	binary           string
	level            int
	engineVersions   engineChange
	exitZero         bool
	asIs             bool
	shard            fleet.Shard
	output           string
}

func newDiff(p *program) *cobra.Command {
	var d diffCommand
	c := &cobra.Command{
		Use:   "diff [PATH...]",
		Short: "Show what will restart, and why, from one revision to another",
		Long: `Render each PATH (by default the working folder) as it was and as it is, and show which workloads
restart and why, which restart though nothing that they read has changed, which configuration changes
and restarts nothing, and what else changes in the objects. Values of Secrets are never shown.

Revisions are read from the repository itself: no file of the work tree is touched, and no git is
needed. Without --from it is the commit where this branch left the default branch. A PATH may be a
pattern in quotes, as 'apps/*', which finds on each side the applications that are there.

With --dirs the two PATHs are folders to compare; as kubectl diff passes them, with what the cluster has:
KUBECTL_EXTERNAL_DIFF="rollstamp diff --dirs --as-is" kubectl diff -f manifests/.

A protected object (protect: in .rollstamp.yaml) that changes without an approval comes first. The exit
code is 0 where nothing differs, 1 where something does, and higher for an error. What fails at both
revisions in one way, with the same files, is listed at the end and is no error. With --engine,
--against-binary and --against-level it is one: of what neither renders, nothing is known.`,
		Example: `  rollstamp diff 'apps/*'
  rollstamp diff overlays/prod --from v1.4.0 --to v1.5.0
  rollstamp diff charts/web -f values.yaml --from HEAD~1 -o json
  rollstamp diff --from-file before.yaml --to-file after.yaml
  rollstamp diff --as argocd argocd/
  rollstamp diff 'apps/*' --shard 1/4 -o json > part-1.json
  rollstamp diff --engine helm=3:4 'apps/*'
  rollstamp diff --dirs chart-1.0 chart-1.1`,
		RunE: func(c *cobra.Command, args []string) error {
			return p.isolated(c, args, func() error { return d.run(c.Context(), p, args) })
		},
	}
	d.add(c)
	f := c.Flags()
	f.StringVar(&d.from, "from", "", "revision to compare with (default: where this branch left the default branch)")
	f.StringVar(&d.to, "to", sides.Worktree, "revision to compare, or "+sides.Worktree+": the files as they are")
	f.StringVar(&d.fromFile, "from-file", "", "rendered manifests to compare with")
	f.StringVar(&d.toFile, "to-file", "", "rendered manifests to compare; - is standard input")
	f.StringVar(&d.binary, "against-binary", "",
		"compare with what another rollstamp at this path makes of the same files: what an upgrade restarts")
	f.IntVar(&d.level, againstLevel, 0, "compare with the stamps of another level of coverage")
	f.Var(&d.engineVersions, "engine",
		"compare what two versions of an engine render of the same files, as helm=3:4: what its upgrade restarts")
	f.BoolVar(&d.dirs, "dirs", false, "the two PATHs are folders: the old one and the new one")
	f.Var(&d.shard, "shard",
		"compare a part of the applications only, as 2/5: rollstamp report --from-json joins the parts")
	f.BoolVar(&d.asIs, "as-is", false, "with --dirs or --from-file: compare what is there, and stamp nothing")
	addIsolate(f)
	f.BoolVar(&d.exitZero, "exit-zero", false,
		"end with 0 where something differs, too, but for protected objects")
	f.StringVarP(&d.output, "output", "o", "text", "format: "+strings.Join(report.DiffFormats(), ", "))
	offer(c, "output", report.DiffFormats()...)
	return c
}

func (d *diffCommand) run(ctx context.Context, p *program, paths []string) error {
	known := oneOf("output", d.output, report.DiffFormats()...)
	if err := errors.Join(d.check(), known, d.validate(paths)); err != nil {
		return err
	}
	if err := d.absent(paths); err != nil {
		return err
	}
	c, err := d.compare(ctx, p, paths)
	if err != nil {
		return err
	}
	c.Findings = appendFromHere(c.Findings[:0], c.Findings) // a lock and a configuration file are found, by absolute paths
	if n := len(c.Unapproved()); n > 0 && d.exitZero {
		fmt.Fprintln(p.err, "note: --exit-zero does not count for protected objects that change without approval")
	}
	isAll := c.Shard == nil || len(c.Unknown) == 0 // else another part may read what differs
	if c.LeftAt != "" && isAll && !c.Differs() && !c.HasFailures() {
		fmt.Fprintf(p.err, "note: %s; --from names another revision\n", d.comparedWithItself(c.LeftAt))
	}
	// What is written as JSON is joined with the other parts, and all of it is known then.
	if c.Shard != nil && len(c.Apps) > 0 && d.output != "json" {
		fmt.Fprintln(p.err, "note: of a part, what applications of other parts read of a change is not known, nor which "+
			"changed files they read, nor whether one applies what is removed")
	}
	return showDiff(p, c, d.output, d.exitZero)
}

// comparedWithItself says what was compared where the new side has no commit beyond the default branch.
func (d *diffCommand) comparedWithItself(branch string) string {
	if d.to == sides.Worktree {
		return "HEAD has no commit that " + branch + " lacks, and no file that is read differs from it"
	}
	return d.to + " has no commit that " + branch + " lacks, and was compared with itself"
}

// absent returns the errors of files and folders that are to be compared and are not there.
func (d *diffCommand) absent(paths []string) error {
	named := []string{d.fromFile, d.toFile}
	if d.dirs {
		named = append(named, paths...)
	}
	var errs []error
	for _, path := range named {
		if path == "" || path == "-" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			errs = append(errs, &diag.Error{Exit: diag.ExitInput, Pos: diag.Position{File: path}, Err: errors.Unwrap(err),
				Hint: "Nothing is compared with what is not there."})
		}
	}
	return errors.Join(errs...)
}

func (d *diffCommand) compare(ctx context.Context, p *program, paths []string) (*diff.Comparison, error) {
	render := d.renderer(p)
	switch {
	case d.fromFile != "":
		return render.Files(ctx, d.fromFile, d.toFile)
	case d.dirs:
		return render.Folders(ctx, paths[0], paths[1])
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	switch {
	case d.engineVersions.to != 0:
		return d.compareEngines(ctx, p, d.renderer, paths)
	case d.level != 0:
		return render.Levels(ctx, p.wiring.Disk(), paths, config.Level(d.level))
	case d.binary != "":
		if err := checkBinary(ctx, d.binary); err != nil {
			return nil, err
		}
		return render.Program(ctx, p.wiring.Disk(), paths, d.binary, func(ctx context.Context, path string) ([]byte, error) {
			return renderWith(ctx, d.binary, shaping(d.set), path)
		})
	}
	return render.Revisions(ctx, d.from, d.to, paths)
}

// renderer returns what renders the sides.
func (d *diffCommand) renderer(p *program) sides.Renderer {
	d.resolved = &wiring.Resolved{}
	builder := d.applications(p.wiring)
	r := sides.Renderer{
		Builder: builder, Adapters: d.readers(p, workspace.Merged, d.from),
		Shard: d.shard, Progress: p.progress(),
		AsIs: d.asIs, TraceAll: d.output != "text" && d.output != "count",
		CompareHead: d.output == "json",
		MadeWith:    madeWith(d.set, config.Environment(), inWorkingFolder), Release: release,
		Quiet: func() func() { return hold(new(bytes.Buffer)) },
	}
	if e, ok := d.engine(); ok {
		r.As = e.Name
	}
	return r
}

// showDiff prints a comparison, and sets the exit code of the run.
func showDiff(p *program, c *diff.Comparison, format string, zero bool) error {
	var out bytes.Buffer
	if err := report.WriteDiff(&out, format, c, p.resultStyle()); err != nil {
		return err
	}
	switch {
	case c.HasFailures():
		p.exit = c.FailureExit()
	case len(c.Unapproved()) > 0 || c.Differs() && !zero:
		p.exit = diag.ExitFindings
	}
	if text := out.Bytes(); !utf8.Valid(text) { // names of files may be any bytes; what is posted may not
		out = *bytes.NewBuffer(bytes.ToValidUTF8(text, []byte("\uFFFD")))
	}
	return p.emit(&out)
}

// validateAs checks what is compared of an engine's objects.
func (d *diffCommand) validateAs(e config.Engine, paths []string) error {
	switch {
	case d.dirs || d.fromFile != "" || d.toFile != "" || d.level != 0 || d.binary != "":
		return diag.Usage(fmt.Errorf("--as %s compares two revisions of the repository with the %s", e.Name, e.Many),
			"Without it, folders and files are compared as they are.")
	case slices.Contains(paths, "-"):
		return diag.Usage(errors.New("standard input can be read once, and there are two sides"), "Write it into a file.")
	}
	return nil
}

func (d *diffCommand) validate(paths []string) error {
	if d.set.Changed(againstLevel) {
		if err := checkLevel(againstLevel, d.level); err != nil {
			return err
		}
	}
	if e, ok := d.engine(); ok {
		if err := d.validateAs(e, paths); err != nil {
			return err
		}
	}
	if err := d.validateEngine(); err != nil {
		return err
	}
	files := d.fromFile != "" || d.toFile != ""
	revisions := d.from != "" || d.set.Changed("to")
	switch {
	case slices.Contains(d.helm.ValuesFiles, "-"):
		return diag.Usage(errors.New("values on standard input can be read once, and there are two sides"),
			"Write them into a file.")
	case d.asIs && !files && !d.dirs:
		return diag.Usage(errors.New("--as-is is for two folders or two files"),
			"Revisions are rendered and stamped on both sides.")
	case d.fromFile == "-" && d.toFile == "-":
		return diag.Usage(errors.New("standard input can be read once, and there are two sides"), "Write one into a file.")
	case files && (d.fromFile == "" || d.toFile == ""):
		return diag.Usage(errors.New("--from-file and --to-file belong together"), "Set both.")
	case files && (d.dirs || len(paths) > 0 || revisions):
		return diag.Usage(errors.New("two files are compared without PATH, --from, --to and --dirs"), "")
	case (d.binary != "" || d.level != 0) && (files || d.dirs || revisions || d.binary != "" && d.level != 0):
		return diag.Usage(errors.New("another binary or level is compared over the same files, and by itself"),
			"Leave the other flags out.")
	case d.dirs && len(paths) != 2:
		return diag.Usage(errors.New("--dirs takes two PATHs"), "The old folder first.")
	case d.dirs && revisions:
		return diag.Usage(errors.New("two folders are compared without --from and --to"), "")
	}
	return nil
}
