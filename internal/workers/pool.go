// Package workers runs requests in processes that stay: a program is started a few times, is sent one request after
// the other, and is ended and replaced where one of them crashes it, fills its memory or does not end.
package workers

import (
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Program is what a worker runs: it calls Serve with its standard input and output.
type Program struct {
	Path string
	Name string   // the first of its arguments; "" is Path
	Args []string // everybody on the machine can read them
	Env  []string // as in exec.Cmd, but empty means none
	// First is what each worker reads before its first request, such as settings and secrets.
	First []byte
}

// Limits bound what workers may use.
type Limits struct {
	Workers int   // at once; more than 0
	Spare   int   // workers more that may be leased for a while, as long as all have the memory of Workers
	Memory  int64 // bytes of each; 0 is no limit
	Answer  int64 // bytes of one answer; more than 0
}

// Pool keeps workers. It is safe for several goroutines.
type Pool struct {
	program Program
	limits  Limits
	free    *semaphore.Weighted // workers that may be leased
	all     sync.WaitGroup      // of the workers that have been started and have not ended

	mu       sync.Mutex
	idle     []*worker    // the last used last
	waiting  []chan offer // of those who wait for a worker, who came first first
	started  int64
	starting int       // workers that are not ready yet
	running  int       // workers that have not ended
	leased   []*worker // that work for somebody, the longest leased first
	watched  bool      // more than Limits.Workers run, and their memory is watched
	renewed  int64     // workers that another took the place of, because they had taken much memory
	ended    map[Cause]int64
	closed   bool
}

// New returns a pool without workers: they are started when they are needed, or by Warm.
func New(program Program, limits Limits) *Pool {
	return &Pool{program: program, limits: limits, free: semaphore.NewWeighted(int64(limits.Workers + limits.Spare)),
		ended: map[Cause]int64{}}
}

// ErrClosed is the error of a lease from a pool that is closed.
var ErrClosed = errors.New("the pool of workers is closed")

// Warm starts all workers that there may be, and returns the first error.
func (p *Pool) Warm(ctx context.Context) error {
	errs := make([]error, p.limits.Workers)
	var started sync.WaitGroup
	for i := range errs {
		started.Go(func() { errs[i] = p.add(ctx) })
	}
	started.Wait()
	return errors.Join(errs...)
}

// Lease waits for a worker and reserves it. The caller calls Release.
func (p *Pool) Lease(ctx context.Context) (*Lease, error) {
	if err := p.free.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	w, err := p.take(ctx)
	if err != nil {
		p.free.Release(1)
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leased = append(p.leased, w)
	return &Lease{pool: p, leased: w, worker: w}, nil
}

// add starts a worker that waits for work.
func (p *Pool) add(ctx context.Context) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	p.begin()
	p.mu.Unlock()
	return p.start(ctx)
}

// begin counts a worker that is about to be started, before Close waits for it. The caller holds p.mu.
func (p *Pool) begin() {
	p.started++
	p.running++
	p.starting++
	p.all.Add(1)
	p.watchSpare()
}

// start starts a worker that begin has counted, and offers it to who waits.
func (p *Pool) start(ctx context.Context) error {
	w, err := startWorker(ctx, p.program, p.limits, p.gone)
	p.mu.Lock()
	p.starting--
	if err != nil {
		p.ended[NotStarted]++
		p.fail(err)
	}
	p.mu.Unlock()
	if err == nil {
		p.put(w)
	}
	return err
}

// gone counts a worker that has ended.
func (p *Pool) gone() {
	p.mu.Lock()
	p.running--
	p.mu.Unlock()
	p.all.Done()
}

// release counts the end of a lease, and whether its worker is renewed.
func (p *Pool) release(w *worker, renewed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leased = slices.DeleteFunc(p.leased, func(other *worker) bool { return other == w })
	if renewed {
		p.renewed++
	}
}

// swap has a lease go on with another worker.
func (p *Pool) swap(ended, w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leased[slices.Index(p.leased, ended)] = w
}

// Count counts a process that a worker had started, and that ended while it worked for the worker's request.
func (p *Pool) Count(e *Ended) { p.count(e.Cause) }

// count counts a worker that ended while it worked, or did not start.
func (p *Pool) count(c Cause) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended[c]++
}

// Counts are how many workers a pool has started, has working and waiting, has renewed because of the memory that they
// had taken, and has lost by cause.
type Counts struct {
	Started, Busy, Idle, Renewed int64
	Ended                        map[Cause]int64 // of each cause
}

// Counts returns the numbers until now.
func (p *Pool) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := Counts{Started: p.started, Busy: int64(len(p.leased)), Idle: int64(len(p.idle)), Renewed: p.renewed,
		Ended: map[Cause]int64{}}
	for _, cause := range causes() {
		c.Ended[cause] = p.ended[cause]
	}
	return c
}

// Close ends the workers that wait, and waits until all have ended, those that are leased after their Release.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	idle := slices.Clone(p.idle)
	p.idle = nil
	for len(p.waiting) > 0 {
		p.offer(offer{err: ErrClosed})
	}
	p.mu.Unlock()
	for _, w := range idle {
		w.retire()
	}
	p.all.Wait()
}
