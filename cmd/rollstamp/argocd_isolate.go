package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// isolation is how the renders of a server are kept apart.
type isolation struct {
	workers bool  // each in a worker process
	each    int64 // bytes that a render may use
}

func (i *isolation) add(f *pflag.FlagSet) {
	f.BoolVar(&i.workers, "isolate", true,
		"render in worker processes, so that a render which crashes, fills its memory or never ends fails alone; "+
			"without, all render in this process")
	f.Var((*byteCount)(&i.each), "max-render-memory",
		"memory that a render may use in its worker process, such as 512Mi (default a share of what the container may "+
			"use)")
}

// byteCount is the value of a flag that takes a number of bytes.
type byteCount int64

// Set takes the text of the command line.
func (b *byteCount) Set(text string) error {
	n, ok := parseBytes(text)
	if !ok {
		return errors.New("want a number of bytes, such as " + cmp.Or(bytesMeant(text), "512Mi"))
	}
	*b = byteCount(n)
	return nil
}

// String returns "", because the default depends on the machine.
func (b *byteCount) String() string { return "" }

// Type names what the flag takes, in help.
func (b *byteCount) Type() string { return "bytes" }

const (
	// minRender is enough for nearly all renders: a large kustomization uses a fifth.
	minRender = 256 << 20
	// maxRender is what a render may use where there is more for each.
	maxRender = 2 << 30
)

// share divides the memory that the container has among the server and its renders: it sets the limits that no flag
// sets, and returns how many renders there may be at once.
func (s *serveCommand) share(processors int) {
	limit := s.most
	if limit < 0 {
		limit = memory.OfContainer(os.DirFS("/"))
	}
	own := s.cache + s.memory + 64<<20
	if limit > 0 {
		own = min(own, limit/2)
	}
	if s.parallelism == ownParallelism {
		s.parallelism = max(processors, 2) // one project does not get the last one
		if limit > 0 && s.isolated.workers {
			s.parallelism = int(max(1, min(int64(s.parallelism), (limit-own)/max(s.isolated.each, minRender))))
		}
	}
	if s.isolated.each == 0 {
		s.isolated.each = maxRender
		if limit > 0 {
			s.isolated.each = min(maxRender, max((limit-own)/int64(s.parallelism), minRender/2))
		}
	}
	if s.most = limit; limit > 0 && s.isolated.workers {
		s.most = max(own, limit-s.isolated.each*int64(s.parallelism))
	}
	if s.most > 0 && debug.SetMemoryLimit(-1) == math.MaxInt64 { // it is not set with GOMEMLIMIT
		debug.SetMemoryLimit(memory.CollectAt(s.most))
	}
}

// plugin returns what answers calls, and its processes, which the caller ends; nil where there are none.
func (s *serveCommand) plugin(ctx context.Context, p *program, served *plugin.Served, logger *slog.Logger) (
	answers server.Plugin, pool *workers.Pool, err error,
) {
	if !s.isolated.workers {
		return served, nil, nil
	}
	worker, err := p.workerProgram()
	if err != nil {
		return nil, nil, err
	}
	pool = workers.New(worker, workers.Limits{Workers: s.parallelism, Spare: s.parallelism,
		Memory: s.isolated.each, Answer: server.MaxAnswer + 1<<20})
	if err := pool.Warm(ctx); err != nil {
		pool.Close()
		return nil, nil, &diag.Error{Exit: diag.ExitInternal, Err: fmt.Errorf("start worker processes: %w", err),
			Hint: "Render in one process with --isolate=false."}
	}
	return plugin.NewIsolated(served, pool, logger), pool, nil
}
