package pipeline

import (
	"context"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/rendercache"
)

// Rendered is the result of an application's run: a summary of it at once, and all of it when it is asked for. Of
// thousands of applications that are as they were, the results need not be in memory. It may be used from several
// goroutines.
type Rendered struct {
	mu      sync.Mutex
	summary *Summary // nil until it is asked for
	result  *Result  // nil until it is asked for
	load    func() (*Result, error)
	err     error

	ties    func() []byte  // that are encoded in the cache; nil where result has them
	origin  *storedAt      // where result is cached; nil where that has it
	damaged []diag.Finding // about the cache, as far as result has it not
}

// RunLazily is Run for who may need no more than a summary: a result that is cached is read when it is asked for.
func RunLazily(ctx context.Context, a *app.Application) (*Rendered, error) {
	cached := newCachedRun(a)
	if found := cached.find(ctx); found != nil {
		return found, nil
	}
	result, err := run(ctx, a, cached)
	if err != nil {
		return nil, err
	}
	return NewRendered(result), nil
}

// NewRendered returns a result that is there; nil for none.
func NewRendered(r *Result) *Rendered {
	if r == nil {
		return nil
	}
	return &Rendered{result: r}
}

// Summary returns what is to be known of the result without its objects.
func (r *Rendered) Summary() *Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.summary == nil {
		s := summarize(r.result)
		r.summary = &s
	}
	return r.summary
}

// Findings is Result.Findings.
func (r *Rendered) Findings() []diag.Finding {
	if result := r.atHand(); result != nil {
		return result.Findings()
	}
	return r.Summary().Findings
}

// Ties returns what the applications of a run know of each other. Where that cannot be had any more there are none, and
// Err returns why.
func (r *Rendered) Ties() Ties {
	if !r.IsAtHand() {
		if ties, err := rendercache.Decode[Ties](r.ties()); err == nil {
			return ties
		}
	}
	result, err := r.Result()
	if err != nil {
		return Ties{}
	}
	return TiesOf(result)
}

// storedAt returns where the result is cached; nil for nowhere.
func (r *Rendered) storedAt() *storedAt {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.origin == nil && r.result != nil {
		return r.result.origin
	}
	return r.origin
}

// IsCached reports whether the result is in a cache, which NoteFile needs.
func (r *Rendered) IsCached() bool { return r.storedAt() != nil }

// Kind returns what the application was rendered as.
func (r *Rendered) Kind() render.Kind { return r.Summary().Kind }

// MayProduce reports whether something in the result may produce ConfigMaps or Secrets.
func (r *Rendered) MayProduce() bool {
	return r.IsAtHand() || r.Summary().Produces
}

// Result returns the whole result; nil for none. The error is that it was cached and is gone, and that its application
// fails by now.
func (r *Rendered) Result() (*Result, error) {
	if r == nil {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.result == nil && r.err == nil {
		r.result, r.err = r.load()
	}
	return r.result, r.err
}

// atHand returns the whole result where it is in memory; else nil.
func (r *Rendered) atHand() *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result
}

// Err returns why the result could not be had; nil where it could, or nobody asked for it.
func (r *Rendered) Err() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// IsAtHand reports whether the whole result is in memory.
func (r *Rendered) IsAtHand() bool { return r.atHand() != nil }
