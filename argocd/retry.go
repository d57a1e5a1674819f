package argocd

import (
	"context"
	"time"

	"github.com/rollstamp/rollstamp/diag"
)

// attempts is how often what asks the network is tried, and firstPause how long it waits after the first failure; each further pause
// is twice as long.
const (
	attempts   = 4
	firstPause = 500 * time.Millisecond
)

// Retry calls render again where it fails because a source did not answer, as long as ctx has time: Argo CD keeps an error for an hour
// after it has seen it a few times. What a call makes must not be used where it fails.
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

// wait reports whether a pause was over before the time of ctx. It does not begin one that cannot be.
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
