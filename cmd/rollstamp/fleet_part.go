package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/fleet/index"
	"github.com/rollstamp/rollstamp/fleet/results"
	"github.com/rollstamp/rollstamp/report"
)

type fleetPart struct {
	index   int
	folder  results.Folder
	command string
}

func newFleetPart(p *program) *cobra.Command {
	var f fleetPart
	c := &cobra.Command{
		Use:   "part --index I --shards N --results DIR [PATH...] [-- FLAG...]",
		Short: "Do one part of a divided run, and join the parts after the last",
		Long: `Do one part of a run that is divided into N, counted from 0 as Kubernetes and CI count: compare the part of
the applications, or render it, into the folder of results. Whichever part ends last joins them all there
into report.json, or the folder manifests, which are what one run would have written, and prints the report.
What applications of two parts read of each other is not known in all cases.

It ends with 0 where something differs: that is for who reads the report. Else its exit code is that of
the command, also of the part that joins. A part that failed leaves the others as they are, and may be
done again by itself.`,
		Example: `  rollstamp fleet part --index "$JOB_COMPLETION_INDEX" --shards 20 --results /results/run-1 'apps/*'
  rollstamp fleet part --index 0 --shards 4 --results out --command render 'apps/*' -- --no-stamp`,
		RunE: func(c *cobra.Command, args []string) error {
			paths, flags := divided(c, args)
			given, err := p.checkDivided(f.command, paths, flags)
			if err := errors.Join(f.check(c.Flags()), err); err != nil {
				return err
			}
			return f.run(c.Context(), p, given, paths, flags)
		},
	}
	c.Flags().IntVar(&f.index, "index", -1, "which part, from 0")
	c.Flags().IntVar(&f.folder.Of, "shards", 0, "how many parts there are")
	c.Flags().StringVar(&f.folder.Dir, "results", "", "folder that the parts of one run share, and no other run")
	addDivided(c, &f.command)
	return c
}

// check finds what is wrong with the flags of the part itself.
func (f *fleetPart) check(given *pflag.FlagSet) error {
	const counted = "Parts are counted from 0, as JOB_COMPLETION_INDEX of Kubernetes and strategy.job-index of GitHub are."
	switch {
	case !given.Changed("shards"):
		return diag.Usage(errors.New("no --shards is given"), "Say how many parts there are, the same for each.")
	case !given.Changed("index"):
		return diag.Usage(errors.New("no --index is given"), counted)
	case f.folder.Of < 1:
		return diag.Usage(fmt.Errorf("--shards %d is less than 1", f.folder.Of), "")
	case f.index < 0 || f.index >= f.folder.Of:
		return diag.Usage(fmt.Errorf("--index %d of --shards %d is not from 0 to one less", f.index, f.folder.Of), counted)
	case f.folder.Dir == "":
		return diag.Usage(errors.New("no --results is given"), "Name the folder that the parts share.")
	}
	return nil
}

// number returns the part, from 1.
func (f *fleetPart) number() int { return f.index + 1 }

// run does the part in a process of its own, which may be ended by what it renders.
func (f *fleetPart) run(ctx context.Context, p *program, given *pflag.FlagSet, paths, flags []string) error {
	isRender := f.command == "render"
	if err := f.folder.Check(isRender); err != nil {
		return err
	}
	args := slices.Concat(flags, paths)
	if isRender {
		record, err := p.newRenderedPart(f, given, paths)
		if err != nil {
			return err
		}
		return f.render(ctx, p, record, args)
	}
	var out bytes.Buffer
	exit, err := f.execute(ctx, p, &out, append([]string{"--output=json"}, args...))
	if err != nil {
		return err
	}
	p.exit = partExit(exit)
	if out.Len() == 0 {
		return nil // it has said why
	}
	if _, err := fleet.WriteFile(f.folder.Result(f.number()), &out); err != nil {
		return err
	}
	missing, err := f.folder.Missing(f.folder.Result)
	if err != nil || len(missing) > 0 {
		return errors.Join(err, f.folder.Check(false)) // it may have begun beside this part
	}
	all, err := p.joined(f.folder)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := report.WriteDiff(&out, "json", all, p.resultStyle()); err != nil {
		return err
	}
	if _, err := fleet.WriteFile(f.folder.Report(), &out); err != nil {
		return err
	}
	if err := report.WriteDiff(&text, "text", all, p.resultStyle()); err != nil {
		return err
	}
	return p.emit(&text)
}

// partExit returns what a part ends with: a difference is no failure of the part.
func partExit(exit diag.Exit) diag.Exit {
	if exit == diag.ExitFindings {
		return diag.ExitOK
	}
	return exit
}

// render renders the part, and joins the folders of all parts after the last.
func (f *fleetPart) render(ctx context.Context, p *program, record *renderedPart, args []string) error {
	at, err := f.folder.Begin(f.number())
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(at) }() // it is there where it was not finished
	exit, err := f.execute(ctx, p, p.out, append([]string{"--output-dir=" + at}, args...))
	if err != nil {
		return err
	}
	p.exit, record.Exit = exit, exit
	_, none := os.Stat(filepath.Join(at, index.Name))
	if exit == diag.ExitInternal || exit == diag.ExitUsage && none != nil {
		return nil // it has said why, and rendered nothing
	}
	if err := record.write(at); err != nil {
		return err
	}
	wasDone, err := f.folder.Finish(f.number(), at)
	if err == nil && wasDone {
		err = f.replace(record, at)
	}
	if err != nil {
		return err
	}
	missing, err := f.folder.Missing(f.folder.Rendered)
	if err != nil || len(missing) > 0 {
		return errors.Join(err, f.folder.Check(true))
	}
	all, err := renderedParts(f.folder)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.Exit != diag.ExitOK {
			fmt.Fprintf(p.err, "note: part %d of %d ended with %d: %s\n", one.Shard.Number, f.folder.Of, one.Exit,
				one.whatIsThere(f.folder.Manifests()))
		}
	}
	return errors.Join(index.Join(f.folder.Manifests(), f.folder.AllRendered()),
		joinIgnored(f.folder.Manifests(), f.folder.AllRendered()))
}

// replace writes what a part rendered over what it had rendered before. First goes the record: with parts that were
// made as this one was before, files of both are not joined.
func (f *fleetPart) replace(record *renderedPart, at string) error {
	dir := f.folder.Rendered(f.number())
	return errors.Join(record.write(dir), index.Replace(dir, at), joinIgnored(dir, []string{at}))
}

// execute runs the command for the part, and returns its exit code. An error is that it could not be run, or was ended.
func (f *fleetPart) execute(ctx context.Context, p *program, out io.Writer, args []string) (diag.Exit, error) {
	own, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find the program: %w", err)
	}
	shard := "--shard=" + strconv.Itoa(f.number()) + "/" + strconv.Itoa(f.folder.Of)
	cmd := exec.CommandContext(ctx, own, append([]string{f.command, shard}, args...)...)
	cmd.Env = config.WithHidden(cmd.Environ())
	cmd.Stdout, cmd.Stderr = out, p.err
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		return diag.Exit(ended.ExitCode()), nil
	case err != nil:
		return 0, fmt.Errorf("run part %d of %d: %w", f.number(), f.folder.Of, err)
	}
	return diag.ExitOK, nil
}

// joined returns the comparison of which the results of a folder are the parts.
func (p *program) joined(folder results.Folder) (*diff.Comparison, error) {
	all := make([]*diff.Comparison, folder.Of)
	for i := range all {
		one, err := p.readReport(folder.Result(i + 1))
		if err != nil {
			return nil, err
		}
		all[i] = one.Diff
	}
	joined, err := diff.Join(all)
	if err != nil {
		return nil, diag.Usage(err, apart(err))
	}
	return joined, nil
}

// apart returns the hint of an error of parts that are not joined, for folders of results.
func apart(err error) string {
	return strings.TrimSpace(diag.HintOf(err) + " Give each run a folder of --results of its own.")
}
