package plugin

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// Worker does in a process of its own what Isolated asks for.
type Worker struct {
	served *Served
	said   lines
	job    server.Job    // that was prepared last
	host   *current      // of that
	tree   *files.Remote // of that
}

// current is the host of the request that a job is worked on for: it is prepared in one, and run in the next.
type current struct{ atomic.Pointer[workers.Host] }

// Ask asks the host of the request.
func (c *current) Ask(question []byte) ([]byte, error) { return (*c.Load()).Ask(question) }

// errUnprepared is a fault of the one who asks.
var errUnprepared = errors.New("nothing is prepared")

// NewWorker returns a worker that answers with served. What is written to its Write during a call, such as warnings of
// libraries, is part of the answer.
func NewWorker(served *Served) *Worker { return &Worker{served: served} }

// Write takes what libraries have to say.
func (w *Worker) Write(b []byte) (int, error) { return w.said.Write(b) }

// Handle answers one request: it is a workers.Handler.
func (w *Worker) Handle(ctx context.Context, request []byte, host workers.Host) ([]byte, error) {
	call, err := decodeCall(request)
	if err != nil {
		return nil, err
	}
	if call.Do != doRun {
		w.job, w.host = nil, &current{}
		w.tree = files.NewRemote(w.host.Ask, call.ahead)
	}
	if w.tree == nil {
		return nil, errUnprepared
	}
	w.host.Store(&host)
	ctx = contain.With(ctx, hostWatch{host})
	c := server.Call{Env: call.Env, Dir: call.Dir, Tree: w.tree}
	a := &workerAnswer{}
	switch call.Do {
	case doPrepare:
		err = w.prepare(ctx, c, a)
	case doRun:
		err = w.run(ctx, a)
	case doMatch:
		a.Is, err = w.served.Match(ctx, c)
	case doAnnounce:
		a.Parameters, a.Findings, err = w.served.Announce(ctx, c)
	}
	if err != nil {
		a = &workerAnswer{Errors: workerErrors(err)}
	}
	a.Log, a.Used = w.said.take(), w.tree.Used()
	if call.Do != doPrepare {
		w.tree = nil // what it holds may be much
	}
	return a.encode()
}

func (w *Worker) prepare(ctx context.Context, c server.Call, a *workerAnswer) (err error) {
	if w.job, err = w.served.Prepare(ctx, c); err != nil {
		return err
	}
	a.Key, a.Files = w.job.Key(), *w.served.files.Load()
	return nil
}

func (w *Worker) run(ctx context.Context, a *workerAnswer) error {
	job := w.job
	if w.job = nil; job == nil {
		return errUnprepared
	}
	out, err := job.Run(ctx)
	if err != nil {
		return err
	}
	a.Kind, a.Findings, a.Stamped, a.Reusable, a.Stored = out.Kind, out.Findings, out.Stamped, out.Reusable, out.Stored
	a.documents = out.Documents
	return nil
}

// hostWatch passes the files that are evaluated to the host: it knows the application.
type hostWatch struct{ workers.Host }

// Begin refuses none.
func (hostWatch) Begin(string, string) (end func(), err error) { return func() {}, nil }

// At passes a file on.
func (h hostWatch) At(_, file string) { h.Host.At(file) }

// Late passes nothing on: the host ends a worker that is not finished in its time.
func (hostWatch) Late(string, time.Duration) {}

// lines collects what is written, by lines.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

// maxLines is how many bytes of lines are kept.
const maxLines = 16 << 10

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text.Len()+len(b) <= maxLines {
		l.text.Write(b)
	}
	return len(b), nil
}

// take returns the lines since the last call.
func (l *lines) take() (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		out = append(out, strings.TrimPrefix(strings.TrimSpace(line), "warning: "))
	}
	l.text.Reset()
	return out
}
