package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/wiring"
)

// workerCommand is the name of the command that a worker process runs.
const workerCommand = "__worker"

// workerStart is what a worker reads before its first request: the environment, in which secrets may be, and the
// arguments of the command that it works for.
type workerStart struct {
	Environment []string
	Args        []string
}

// workerProgram returns this program as a worker of the command that runs.
func (p *program) workerProgram() (workers.Program, error) {
	path, err := os.Executable()
	if err != nil {
		return workers.Program{}, &diag.Error{Exit: diag.ExitInternal, Err: err}
	}
	start, all := config.EnvironmentForWorkers()
	first, err := json.Marshal(workerStart{all, p.args})
	if err != nil {
		return workers.Program{}, &diag.Error{Exit: diag.ExitInternal, Err: err}
	}
	return workers.Program{Path: path, Name: "rollstamp", Args: []string{workerCommand}, Env: start, First: first}, nil
}

// newWorker works for another process of this program, which sends requests on standard input.
func newWorker(p *program) *cobra.Command {
	return &cobra.Command{
		Use:    workerCommand,
		Short:  "Render for another process of this program",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			os.Stdout = os.Stderr // what a library prints is no answer
			return workers.Serve(c.Context(), p.in, p.out, func(first []byte) (workers.Handler, error) {
				return p.beginWorker(c.Context(), first)
			})
		},
	}
}

// beginWorker runs the command that the worker works for up to the place where it would begin to serve.
func (p *program) beginWorker(ctx context.Context, first []byte) (workers.Handler, error) {
	var start workerStart
	if json.Unmarshal(first, &start) != nil {
		return nil, errors.New("the start of a worker is not understood") // the error would quote it
	}
	config.ReplaceEnvironment(start.Environment)
	env := config.Environment()
	as := &program{streams: p.streams, env: env, wiring: wiring.New(ctx, env, release, http.NoBody)}
	var worker *plugin.Worker
	as.serving = func(served *plugin.Served) { worker = plugin.NewWorker(served) }
	root := newRoot(as, start.Args...)
	root.SetArgs(start.Args)
	if err := root.ExecuteContext(ctx); err != nil {
		return nil, err
	}
	if worker == nil {
		return nil, errors.New("the command has no workers")
	}
	logTo(worker)
	return worker.Handle, nil
}
