package pipeline

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/rollstamp/rollstamp/internal/fault"
)

// Each calls do for the numbers 0 to n-1, as many at a time as there are processors to use, and waits for all of them.
// One that fails does not stop the others. The errors come back in the order of the numbers; finished, where it is not
// nil, is told after each how many are done, one call at a time.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error, finished func(done int)) []error {
	errs := make([]error, n)
	next := make(chan int)
	var mu sync.Mutex
	done := 0
	work := func() {
		for i := range next {
			errs[i] = withRecover(ctx, i, do)
			mu.Lock()
			done++
			if finished != nil {
				finished(done)
			}
			mu.Unlock()
		}
	}
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(work)
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	return errs
}

func withRecover(ctx context.Context, i int, do func(context.Context, int) error) (err error) {
	defer fault.Catch(&err)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("not begun: %w", err)
	}
	return do(ctx, i)
}
