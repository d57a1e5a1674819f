package wiring

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/companion"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/render/helm"
)

// helm4 renders with Helm 4, in processes that are started when they are needed first and serve all of a run.
type helm4 struct {
	path    string // of the program; "" is the one beside this program
	release string

	mu   sync.Mutex
	pool *workers.Pool // nil before the first render
}

// helm4Name is the file name of the program.
const helm4Name = "rollstamp-helm4"

// largestRender bounds what a chart may render.
const largestRender = 1 << 30

// Do implements helm.Program.
func (h *helm4) Do(ctx context.Context, request []byte) ([]byte, error) {
	pool, err := h.start()
	if err != nil {
		return nil, notInstalled(err)
	}
	lease, err := pool.Lease(ctx)
	if err != nil {
		return nil, withInstallHint(err)
	}
	defer lease.Release()
	answer, err := lease.Do(ctx, request, func([]byte) []byte { return nil })
	return answer, withInstallHint(err)
}

// start returns the pool of processes.
func (h *helm4) start() (*workers.Pool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pool != nil {
		return h.pool, nil
	}
	path, err := companion.Find(helm4Name, h.path)
	if err != nil {
		return nil, err
	}
	h.pool = workers.New(
		workers.Program{Path: path, Args: []string{helm.WorkerArgument}, First: []byte(helm.Hello(h.release))},
		workers.Limits{Workers: memory.Processors, Answer: largestRender},
	)
	return h.pool, nil
}

// close ends the processes.
func (h *helm4) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pool != nil {
		h.pool.Close()
		h.pool = nil
	}
}

// withInstallHint returns the error of a program that cannot be started as one of what is installed.
func withInstallHint(err error) error {
	var ended *workers.Ended
	if errors.As(err, &ended) && ended.Cause == workers.NotStarted {
		return notInstalled(fmt.Errorf("run %s: %w", helm4Name, ended.Err))
	}
	return err
}

func notInstalled(err error) error {
	return diag.Usage(fmt.Errorf("render with Helm 4: %w", err), "Install "+helm4Name+
		" of the same release beside rollstamp, or name it with "+config.EnvHelm4+"; helm.version 3 renders without it.")
}
