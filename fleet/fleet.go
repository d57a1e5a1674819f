// Package fleet runs many applications: side by side, in shards, to files of their own, and what is to be reported of
// all of them together.
package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/pipeline"
)

// Use is called with the result of an application, the i-th of the run.
type Use func(ctx context.Context, i int, a *app.Application, result *pipeline.Result) error

// Progress is called with how many applications of a run are done.
type Progress func(done, total int)

// Run renders the named applications of a source side by side and passes each result on as it comes. One that fails
// does not stop the others; the errors come back in the order of the names. For progress see Each.
func Run(ctx context.Context, source app.Source, names []string, use Use, progress Progress) []error {
	return Each(ctx, len(names), func(ctx context.Context, i int) error {
		a, err := source.Application(ctx, names[i])
		if err != nil {
			return err
		}
		result, err := pipeline.Run(ctx, a)
		if err != nil {
			return err
		}
		return use(ctx, i, a, result)
	}, progress)
}

// UseLazily is called with the result of an application, the i-th of the run, of which nothing is read yet that comes
// from the cache.
type UseLazily func(ctx context.Context, i int, a *app.Application, result *pipeline.Rendered) error

// RunLazily is Run for whoever may need no more than a summary of a result. Nothing watches the documents of a result
// from the cache.
func RunLazily(ctx context.Context, source app.Source, names []string, use UseLazily, progress Progress) []error {
	return Each(ctx, len(names), func(ctx context.Context, i int) error {
		a, err := source.Application(ctx, names[i])
		if err != nil {
			return err
		}
		result, err := pipeline.RunLazily(ctx, a)
		if err != nil {
			return err
		}
		return use(ctx, i, a, result)
	}, progress)
}

// Each calls do for the numbers 0 to n-1, as many at a time as there are processors to use, and waits for all of them.
// One that fails, or panics, does not stop the others. The errors come back in the order of the numbers; progress,
// where it is not nil, is called after each, one call at a time.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error, progress Progress) []error {
	errs := make([]error, n)
	var next atomic.Int64
	var mu sync.Mutex
	done := 0
	// A goroutine for each number would grow a stack of its own: that is noticed where applications are small.
	var workers sync.WaitGroup
	for range min(n, memory.Processors) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = withRecover(ctx, i, do)
				mu.Lock()
				done++
				if progress != nil {
					progress(done, n)
				}
				mu.Unlock()
			}
		})
	}
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

// isAbout reports whether an error's text begins with an application: with its name, or with the object that describes
// it. An object of another kind may have the same name.
func isAbout(text, name string) bool {
	object, _, found := strings.Cut(text, ": ")
	if !found || object == name {
		return found
	}
	kind, of, _ := strings.Cut(object, " ")
	return of == name && isDescription(kind) || kind+"/"+of == name
}

// isDescription reports whether objects of a kind describe applications.
func isDescription(kind string) bool {
	return slices.ContainsFunc(config.Engines(), func(e config.Engine) bool { return slices.Contains(e.Kinds, kind) })
}
