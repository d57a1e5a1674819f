package live

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// one asks for one place, again where that may help. A store that turns callers away is asked for as long as it lets
// somebody through.
func (r *run) one(ctx context.Context, p *place) (answer sources.Answer, err error) {
	for attempt, failed := 0, 0; failed < cmp.Or(r.Attempts, attempts); attempt++ {
		if attempt > 0 && !wait(ctx, attempt, p.store.asksFor()) {
			return sources.Answer{}, err
		}
		if ctx.Err() != nil || p.store.isGivenUp() {
			if err == nil {
				err = p.store.whyGone(ctx)
			}
			return sources.Answer{}, err
		}
		answer, err = r.ask(ctx, p)
		p.store.note(err, cmp.Or(r.Patience, patience))
		var f *sources.Failure
		if err == nil || !errors.As(err, &f) || !f.IsTransient() {
			break
		}
		if f.Class != sources.Throttled {
			failed++
		}
	}
	if err != nil {
		return sources.Answer{}, err
	}
	return r.digestOf(p.ref, answer)
}

// whyGone returns why the store is not asked now.
func (s *store) whyGone(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return sources.Reason(ctx.Err())
	case s.lacking != nil:
		return s.lacking
	}
	return sources.Fail(sources.GivenUp, "")
}

// wait is longer each time, and by chance, so that callers who failed together do not come back together. It is not
// shorter than what the store asks for; where the run ends before that, it reports so and does not wait.
func wait(ctx context.Context, attempt int, least time.Duration) bool {
	d := min(backoff<<min(attempt-1, 10), longest)
	d = d/2 + rand.N(d)
	if d < least {
		d = least + rand.N(backoff)
	}
	if end, ends := ctx.Deadline(); ends && least > time.Until(end) {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}

// ask makes one call. It does not wait for a client that ignores its context.
func (r *run) ask(ctx context.Context, p *place) (sources.Answer, error) {
	p.store.open.Do(func() {
		defer fault.Catch(&p.store.err)
		p.store.versions, p.store.err = r.Open(p.ref.Store)
	})
	if p.store.err != nil {
		return sources.Answer{}, p.store.err
	}
	ctx, cancel := context.WithTimeout(stores.NotingRetryAfter(ctx, &p.store.later), cmp.Or(r.Timeout, timeout))
	defer cancel()
	type result struct {
		answer sources.Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var got result
		defer func() { done <- got }()
		defer fault.Catch(&got.err)
		got.answer, got.err = p.store.versions.Version(ctx, p.ref)
	}()
	select {
	case got := <-done:
		return got.answer, ownError(got.err)
	case <-ctx.Done():
		return sources.Answer{}, sources.Reason(ctx.Err())
	}
}

// ownError lets only our own words through.
func ownError(err error) error {
	var d *diag.Error
	var f *sources.Failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.As(err, &d) && d.Exit == diag.ExitInternal:
		return d
	}
	return sources.Reason(err)
}

// digestOf takes the value out of an answer.
func (r *run) digestOf(ref sources.Ref, a sources.Answer) (sources.Answer, error) {
	if a.Version != "" {
		return sources.Answer{Version: a.Version}, nil
	}
	digest, err := r.Digest(ref, a.Value)
	if err != nil {
		return sources.Answer{}, ownError(err)
	}
	return sources.Answer{Digest: digest}, nil
}

// asksFor returns how long the store wants to be left alone, which it said with its last answer.
func (s *store) asksFor() time.Duration { return time.Duration(s.later.Load()) }

func (s *store) isGivenUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// note counts what a call came to. Credentials that are refused once are not shown a thousand times.
func (s *store) note(err error, patience int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var f *sources.Failure
	switch {
	case !errors.As(err, &f):
		s.failed, s.turning = 0, time.Time{}
		return
	case f.Class == sources.Throttled:
		s.failed = 0
		if s.turning.IsZero() {
			s.turning = time.Now().Add(s.asksFor())
		}
		s.down = s.down || time.Since(s.turning) > turnedAway
		return
	case f.Class == sources.NoIdentity:
		s.down, s.lacking = true, f
	case f.Class == sources.NoLogin, f.Class == sources.Untrusted, f.Class == sources.Redirected, s.err != nil:
		s.down = true
	case f.Class == sources.Unavailable, f.Class == sources.TimedOut:
		s.failed++
		s.down = s.down || s.failed >= patience
	default:
		s.failed = 0
	}
}
