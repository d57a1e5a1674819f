package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/report"
	"github.com/rollstamp/rollstamp/wiring"
)

// run is the program without its process: arguments and streams in, exit code out.
func run(ctx context.Context, args []string, env config.Env, std streams) diag.Exit {
	p := &program{env: env, streams: std}
	err := p.execute(ctx, args)
	defer p.supervised.done()
	if isOutputClosed(err) {
		return diag.ExitOK // whoever read our output has seen enough
	}
	if err != nil && ctx.Err() != nil {
		err = withoutCancelled(err)
	}
	p.fail(err)
	return max(p.exit, diag.ExitOf(err))
}

// isOutputClosed reports whether an error is that nobody reads standard output any more. A pipe to another process that
// has ended is a fault like any other.
func isOutputClosed(err error) bool {
	return slices.ContainsFunc(diag.Unjoin(err), func(one error) bool {
		var failed *fs.PathError
		return errors.As(one, &failed) && failed.Path == os.Stdout.Name() && errors.Is(failed, syscall.EPIPE)
	})
}

// withoutCancelled returns the errors of a run that was interrupted without those which say no more than that, of which
// each application has one.
func withoutCancelled(err error) error {
	left := slices.DeleteFunc(diag.Unjoin(err), func(one error) bool { return errors.Is(one, context.Canceled) })
	if len(left) == 0 {
		return diag.Input(diag.Position{}, errors.New("interrupted"), "")
	}
	return errors.Join(left...)
}

func (p *program) execute(ctx context.Context, args []string) (err error) {
	defer fault.Catch(&err)
	root := newRoot(p, args...)
	root.SetArgs(args)
	p.args = args
	ctx, end := context.WithCancelCause(ctx)
	p.wiring = wiring.New(ctx, p.env, release, p.in)
	defer p.wiring.Wait()
	defer p.closeRenders()
	defer end(nil)
	limit, err := maxMemory(p.env)
	if err != nil {
		return err
	}
	full := func(e memory.Exceeded) { end(e) }
	if p.isSupervised {
		if p.supervised, err = newSupervised(); err != nil {
			return err
		}
		ctx, full = contain.With(ctx, p.supervised), p.supervised.endForMemory
		refuseMemory(limit)
	} else if p.isProcess && !watchesItself(args) {
		w := &inWork{apps: map[string]*atWork{}}
		ctx = w.endAtOverflow(ctx, p)
		full = func(e memory.Exceeded) { end(e); go w.endAnyway(p, e) }
		refuseMuchMore(limit)
	}
	if !watchesItself(args) {
		go memory.Watch(ctx, os.DirFS("/"), limit, full)
	}
	defer p.end()
	c, err := root.ExecuteContextC(ctx)
	var known *diag.Error
	if err != nil && !p.begun && !errors.As(err, &known) {
		err = diag.Usage(err, "Try '"+root.CommandPath()+" --help'.")
	}
	return withErrorInFindings(p, c, err)
}

// watchesItself reports whether a command looks after the memory that it uses: a server ends its calls first.
func watchesItself(args []string) bool {
	return len(args) == 1 && args[0] == workerCommand || len(args) > 1 && args[0] == "argocd" && args[1] == "serve"
}

// newRoot builds the tree of commands, of which args need no more than the one that they name. Nothing of it outlives
// the run.
func newRoot(p *program, args ...string) *cobra.Command {
	p.leftOut, p.words = &leftOut{}, wordsOf(args)
	if p.host != "" {
		p.words = nil // its calls are written with its name in all texts
	}
	var version bool
	root := &cobra.Command{
		Use:   "rollstamp",
		Short: "Restart exactly the workloads whose configuration changed",
		Long: `rollstamp renders Helm charts, kustomizations and plain manifests, finds which workloads consume
which ConfigMaps and Secrets, key by key, and writes digests of exactly those keys into the pod
templates. What applies the manifests then restarts what has to restart, and nothing else.

It needs no cluster, no network and no helm or kustomize binary.`,
		Example: `  rollstamp render charts/web -f values.yaml | kubectl apply -f -
  kustomize build overlays/prod | rollstamp stamp
  rollstamp explain overlays/prod Deployment/web`,
		Args: subcommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return p.emit(versions())
			}
			return c.Help()
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			p.begun = true
			if !p.isSupervising(c, args) { // the other process does
				p.noteIneffective(c)
			}
			return errors.Join(p.checkSettings(c), p.takeHelmNamespace(c))
		},
	}
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	p.setHelp(root)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return diag.Usage(withNearestFlag(c, err), "Try '"+c.CommandPath()+" --help'.")
	})
	root.PersistentFlags().BoolVarP(&p.verbose, "verbose", "v", false,
		"report more on standard error: what was detected and why, and what is merely worth knowing")
	root.Flags().BoolVar(&version, "version", false, "print the version, as rollstamp version does")
	p.grow(root, branches())
	root.AddCommand(newCommandTree(p))
	root.SetHelpCommand(newHelp(root))
	root.InitDefaultHelpCmd()
	if p.host != "" {
		p.host.rename(p, root)
		return root
	}
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args = subcommand
		completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		completion.Example = `  source <(rollstamp completion bash)
  rollstamp completion zsh > "${fpath[1]}/_rollstamp"`
	}
	return root
}

// fail prints an error.
func (p *program) fail(err error) { p.writeError(p.err, err) }

// writeError writes an error, each of several joined ones by itself. Those that have one hint stand together, where the
// first of them is, with the hint below them.
func (p *program) writeError(w io.Writer, err error) {
	all := diag.Unjoin(err)
	written := map[string]bool{}
	for _, one := range all {
		hint := diag.HintOf(one)
		switch {
		case hint == "":
			p.writeCause(w, one)
		case !written[hint]:
			written[hint] = true
			for _, other := range all {
				if diag.HintOf(other) == hint {
					p.writeCause(w, other)
				}
			}
			fmt.Fprintf(w, "hint: %s\n", report.Visible(p.withCommandName(hint)))
		}
	}
}

// writeCause writes an error without its hint.
func (p *program) writeCause(w io.Writer, err error) {
	fmt.Fprintf(w, "rollstamp: %s\n", report.Visible(errorText(err)))
}

// withCommandName returns a text with calls of the program as this user types them.
func (p *program) withCommandName(text string) string {
	if p.host == "" {
		return text
	}
	return p.host.inText(newRoot(p), text)
}
