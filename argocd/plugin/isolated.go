package plugin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/render"
)

// Isolated answers calls as Served does, each in a worker process, so that what a call does to that harms no other. The
// process that answers reads nothing of an application itself but its files, and these only as bytes.
type Isolated struct {
	served *Served // of this process, for the state of the operator's files
	pool   *workers.Pool
	ahead  *prefetcher
	log    *slog.Logger
}

// NewIsolated returns what answers calls with the workers of pool, each of which runs a Worker with the same flags and
// environment as served.
func NewIsolated(served *Served, pool *workers.Pool, log *slog.Logger) *Isolated {
	return &Isolated{served, pool, newPrefetcher(), log}
}

// State changes where one of the operator's files does.
func (i *Isolated) State() []byte { return i.served.State() }

// Prepare has a worker read the call's variables and the files that hold options. The worker is reserved for the job
// until that is closed.
func (i *Isolated) Prepare(ctx context.Context, c server.Call) (server.Job, error) {
	lease, err := i.pool.Lease(ctx)
	if err != nil {
		return nil, readable(err)
	}
	j := &isolatedJob{Isolated: i, lease: lease, call: c, files: reader{tree: c.Tree}}
	a, err := j.begin(ctx, doPrepare)
	if err != nil {
		lease.Release()
		return nil, err
	}
	i.served.rememberFiles(a.Files)
	j.key = a.Key
	return j, nil
}

// Match has a worker report whether the application is one of ours.
func (i *Isolated) Match(ctx context.Context, c server.Call) (bool, error) {
	a, err := i.once(ctx, c, doMatch)
	if err != nil {
		return false, err
	}
	return a.Is, nil
}

// Announce has a worker list the application's parameters.
func (i *Isolated) Announce(ctx context.Context, c server.Call) ([]announce.Parameter, []diag.Finding, error) {
	a, err := i.once(ctx, c, doAnnounce)
	if err != nil {
		return nil, nil, err
	}
	return a.Parameters, a.Findings, nil
}

// once has any worker do one thing.
func (i *Isolated) once(ctx context.Context, c server.Call, what string) (*workerAnswer, error) {
	lease, err := i.pool.Lease(ctx)
	if err != nil {
		return nil, readable(err)
	}
	defer lease.Release()
	j := &isolatedJob{Isolated: i, lease: lease, call: c, files: reader{tree: c.Tree}}
	a, err := j.begin(ctx, what)
	if err == nil {
		i.ahead.remember(subjectOf(what, c), j.files.read)
	}
	return a, err
}

// isolatedJob is one call's render, prepared in a worker that waits for more.
type isolatedJob struct {
	*Isolated
	lease *workers.Lease
	call  server.Call
	files reader
	key   []byte
}

// Key returns the key of the render.
func (j *isolatedJob) Key() []byte { return j.key }

// Run has the worker render.
func (j *isolatedJob) Run(ctx context.Context) (*server.Answer, error) {
	a, err := j.do(ctx, workerCall{Do: doRun})
	if err != nil {
		return nil, err
	}
	j.ahead.remember(subjectOf(doPrepare, j.call), j.files.read)
	return &server.Answer{Kind: a.Kind, Documents: a.documents, Findings: a.Findings, Stamped: a.Stamped,
		Reusable: a.Reusable, Stored: a.Stored}, nil
}

// Close hands the worker back.
func (j *isolatedJob) Close() { j.lease.Release() }

// begin has the worker do the first thing, and sends what it will probably want to know.
func (j *isolatedJob) begin(ctx context.Context, what string) (*workerAnswer, error) {
	ahead := j.files.send(j.ahead.likely(subjectOf(what, j.call)))
	return j.do(ctx, workerCall{Do: what, Env: j.call.Env, Dir: j.call.Dir, ahead: ahead})
}

// do has the worker do one thing, and answers what it asks about the call's files meanwhile.
func (j *isolatedJob) do(ctx context.Context, what workerCall) (*workerAnswer, error) {
	request, err := what.encode()
	if err != nil {
		return nil, err
	}
	b, err := j.lease.Do(ctx, request, j.files.reply)
	if err != nil {
		return nil, readable(err)
	}
	a, err := decodeAnswer(b)
	if err == nil {
		err = j.files.use(a.Used)
	}
	if err != nil {
		return nil, err
	}
	for _, line := range a.Log {
		j.log.LogAttrs(ctx, slog.LevelWarn, line, slog.String("app", j.call.Env["ARGOCD_APP_NAME"]))
	}
	err = a.failure()
	var ended *workers.Ended
	if errors.As(err, &ended) {
		j.pool.Count(ended)
	}
	return a, err
}

// readable returns the error of a worker in words for the Application's condition.
func readable(err error) error {
	var ended *workers.Ended
	if !errors.As(err, &ended) {
		return err
	}
	text, hint, while := "", "", contain.Evaluated(ended.File)
	switch ended.Cause {
	case workers.StackOverflow:
		text = "what it renders calls itself without end"
		hint = render.RecursionHint
	case workers.OutOfMemory:
		text = fmt.Sprintf("the render needs more than the %d MiB of memory that it may have", ended.Limit>>20)
		hint = render.GrowthHint + ", or allow more with --max-render-memory."
	case workers.OutOfTime:
		text = fmt.Sprintf("not finished after %s", ended.After.Round(100*time.Millisecond))
		hint = render.LoopHint
	case workers.Crowded:
		return &diag.Error{Exit: diag.ExitSource, Err: renderEnded{fmt.Sprintf(
			"the render was ended after %s: others waited, and the renders at work had used up the memory",
			ended.After.Round(100*time.Millisecond)), ended},
			Hint: "Make the call again; give the container more memory, or each render less with --max-render-memory."}
	case workers.TooLarge:
		text = fmt.Sprintf("the manifests are more than the %d MiB that Argo CD takes", ended.Limit>>20)
	case workers.Killed:
		return &diag.Error{Exit: diag.ExitSource, Err: renderEnded{
			"the process that rendered it was killed from outside, as the kernel does where memory ends", ended},
			Hint: "Make the call again; give the container more memory, or each render less with --max-render-memory."}
	case workers.NotStarted:
		return &diag.Error{Exit: diag.ExitSource, Err: fmt.Errorf("start a process that renders: %w", ended),
			Hint: "Look at the log of the plugin's container; the call can be made again."}
	default:
		text = "the process that rendered it crashed"
		hint = "This is a fault of rollstamp. Please report it with 'rollstamp version' and, if you can, the input."
	}
	return &diag.Error{Exit: diag.ExitInput, Err: renderEnded{text + while, ended}, Hint: hint}
}

// renderEnded is an error in the words of a render whose cause is a worker's end.
type renderEnded struct {
	text  string
	cause *workers.Ended
}

func (e renderEnded) Error() string { return e.text }

func (e renderEnded) Unwrap() error { return e.cause }
