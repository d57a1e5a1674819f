package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// isolateFlag is the flag of commands that render fleets.
const isolateFlag = "isolate"

// addIsolate adds the flag.
func addIsolate(f *pflag.FlagSet) {
	f.Bool(isolateFlag, false, "work in a process that another one watches, so that an application which ends it fails "+
		"alone")
	f.Lookup(isolateFlag).DefValue = "where there may be many applications"
}

// isolated runs a command that may render many applications: in a process of its own where that is worth a start, else
// here. Where an application ends that process, it is found and fails, and the others are rendered again.
func (p *program) isolated(c *cobra.Command, paths []string, run func() error) error {
	if !p.isSupervising(c, paths) {
		return run()
	}
	if err := p.keepInput(); err != nil {
		return err
	}
	failures := map[string]failed{}
	for unexplained := 0; ; {
		end, err := p.attempt(c.Context(), order{Failed: failures})
		if err != nil {
			return p.here(run) // there is no such process to be had
		}
		isInterrupted := c.Context().Err() != nil
		// It has said what there is to say, unless an application ended it as it was interrupted.
		if end.done || isInterrupted && end.exit != diag.ExitOK && end.cause == workers.Crashed {
			p.exit = end.exit
			return nil
		}
		if late := end.overdue(); len(late) > 0 && !isInterrupted {
			maps.Copy(failures, late)
			continue
		}
		culprits := p.culprits(c, end, failures)
		if c.Context().Err() != nil {
			return end.interrupted(failures)
		}
		maps.Copy(failures, culprits)
		if len(culprits) > 0 {
			continue
		}
		if unexplained++; unexplained == maxUnexplained {
			return p.here(run) // none of them does it alone
		}
	}
}

// maxUnexplained is how often a process may end without an application that does it alone: on a busy machine one may
// come to its timeout first.
const maxUnexplained = 3

// culprits returns the applications that end a process also by themselves, of those that one worked on when it ended.
func (p *program) culprits(c *cobra.Command, end *ending, failures map[string]failed) map[string]failed {
	out := map[string]failed{}
	for _, name := range slices.Sorted(maps.Keys(end.names)) {
		if c.Context().Err() != nil {
			break
		}
		alone, err := p.attempt(c.Context(), order{Failed: failures, Only: name, Once: rendersOnce(c)})
		if err == nil && !alone.done && len(alone.names) > 0 {
			out[name] = failed{Cause: alone.cause, File: alone.files[name]}
		}
	}
	return out
}

// keepInput reads standard input where the command line names it, so that each process gets the same.
func (p *program) keepInput() (err error) {
	if slices.ContainsFunc(os.Args, isStandardInput) {
		p.kept, err = p.slurp("-")
	}
	return err
}

// isStandardInput reports whether an argument names standard input: -, --values=- or -f-.
func isStandardInput(arg string) bool {
	_, value, isFlag := strings.Cut(arg, "=")
	return arg == "-" || isFlag && value == "-" && arg[0] == '-' || len(arg) == 3 && arg[0] == '-' && arg[2] == '-'
}

// here runs a command in this process, after others have tried it.
func (p *program) here(run func() error) error {
	if p.kept != nil {
		p.in = bytes.NewReader(p.kept)
		p.wiring = p.wiring.WithStdin(p.in)
	}
	return run()
}

// rendersOnce reports whether a command renders each application once: what ends a process does so the first time then.
func rendersOnce(c *cobra.Command) bool { return c.Name() == "render" || c.Name() == "check" }

// isSupervising reports whether this process is to watch another one: there may be many applications.
func (p *program) isSupervising(c *cobra.Command, paths []string) bool {
	wanted := c.Flags().Lookup(isolateFlag)
	if wanted == nil || !p.isProcess || p.supervised != nil || runtime.GOOS == "windows" {
		return false
	}
	if wanted.Changed {
		return wanted.Value.String() == "true"
	}
	isSet := func(name string) bool { f := c.Flags().Lookup(name); return f != nil && f.Changed }
	switch c.Name() {
	case "convert":
		return isSet("check")
	case "lint":
		return isSet("render")
	case "render":
		if c.Parent().Name() == "argocd" && (isSet("recursive") || slices.ContainsFunc(paths, mayHoldMany)) {
			return true
		}
	}
	return len(paths) > 1 && !isSet("dirs") || isSet("output-dir") || isSet("as") ||
		slices.ContainsFunc(paths, func(path string) bool { return strings.ContainsAny(path, "*?[") })
}

// mayHoldMany reports whether a file may hold more than one Application, or what makes such.
func mayHoldMany(path string) bool {
	if info, err := os.Stat(path); path == "-" || err != nil || !info.Mode().IsRegular() {
		return true // it can be read once, or is many
	}
	text, err := os.ReadFile(path)
	return err != nil || bytes.Contains(text, []byte("ApplicationSet")) ||
		bytes.Count(text, []byte("kind")) > 1 && bytes.Count(text, []byte("Application")) > 1
}

// ending is how a supervised process ended.
type ending struct {
	working
	exit  diag.Exit
	cause workers.Cause
}

// attempt runs this command in another process. One that tries an application alone writes nothing.
func (p *program) attempt(ctx context.Context, o order) (*ending, error) {
	cmd, err := p.supervisedCommand(ctx)
	if err != nil {
		return nil, err
	}
	said := &workers.Words{}
	cmd.Stderr = said
	reports, toReports, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reports.Close()
	orders, toOrders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer toOrders.Close()
	shown := os.Stderr
	if p.kept != nil {
		cmd.Stdin = bytes.NewReader(p.kept)
	} else if o.Only == "" {
		cmd.Stdin = os.Stdin
	}
	if o.Only == "" {
		cmd.Stdout = os.Stdout
	} else if shown, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{toReports, orders, shown}
	err = cmd.Start()
	_, _ = toReports.Close(), orders.Close() // the other process has them
	if o.Only != "" {
		_ = shown.Close()
	}
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(o)
	if err == nil {
		_, err = toOrders.Write(append(line, '\n'))
	}
	end := &ending{}
	end.read(reports)
	_ = cmd.Wait() // how it ended is in its state
	end.exit, end.cause = diag.Exit(max(0, cmd.ProcessState.ExitCode())), said.Cause(cmd.ProcessState)
	return end, err
}

// supervisedCommand returns this command as one that is watched.
func (p *program) supervisedCommand(ctx context.Context) (*exec.Cmd, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	cmd := exec.CommandContext(ctx, own, append([]string{"--" + supervisedFlag}, os.Args[1:]...)...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = config.WithHidden(cmd.Environ())
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd, nil
}
