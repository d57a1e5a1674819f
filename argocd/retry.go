package argocd

import (
	"context"
	"time"

	"github.com/rollstamp/rollstamp/diag"
)

// attempts is how often a network request is tried, and firstPause the wait after the first failure; each further
// pause is twice as long.
const (
	attempts   = 4
	firstPause = 500 * time.Millisecond
)

// Retry calls render again if it fails because a source did not answer, as long as ctx has time: Argo CD caches an
// error for an hour once it has seen it a few times. Results of a failed call must not be used.
func Retry(ctx context.Context, render func(context.Context) error) error {
	pause := firstPause
	for n := 1; ; n++ {
		err := render(ctx)
		if diag.ExitOf(err) != diag.ExitSource || n == attempts || !wait(ctx, pause) {
			return err
		}
		pause *= 2
	}
}

// wait reports whether a pause ended before ctx. It does not start one for which ctx has no time.
func wait(ctx context.Context, pause time.Duration) bool {
	if end, limited := ctx.Deadline(); limited && time.Until(end) < 2*pause {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
