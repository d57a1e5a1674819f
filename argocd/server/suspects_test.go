package server_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// begin sends a call and waits until as many as that have begun.
func (c *calls) begin(t *testing.T, q *queued, project, app, content string, begun int) {
	t.Helper()
	c.send(t, project, app, content, -1)
	poll(t, fmt.Sprintf("%s/%s does not begin", project, app), func() bool { return len(q.begun()) == begun })
}

// crowdedOut returns the callers whose renders were ended for others.
func (c *calls) crowdedOut(t *testing.T) (out []string) {
	t.Helper()
	for who, err := range c.got {
		switch {
		case err == nil:
		case status.Code(err) == codes.Unavailable && strings.Contains(status.Convert(err).Message(), "others waited"):
			out = append(out, who)
		default:
			t.Errorf("%s: %v", who, err)
		}
	}
	return out
}

func TestWhatWasEndedHasHalfOfThePlacesAtMost(t *testing.T) {
	q := &queued{ends: &workers.Ended{Cause: workers.OutOfMemory, Limit: 1 << 20}}
	c := queueOf(t, q, func(o *server.Options) {
		o.Timeout, o.Parallelism, o.HasSpare = 10*time.Second, 2, func() bool { return true }
	})
	for i, project := range []string{"a", "b"} {
		c.begin(t, q, project, "1", "", i+1)
		q.next <- struct{}{}
		c.all.Wait()
	}
	q.ends = nil
	c.begin(t, q, "a", "1", "next", 3)
	c.send(t, "b", "1", "next", 1)
	c.begin(t, q, "c", "1", "", 4)
	if got := q.begun(); !slices.Equal(got, []string{"a/1", "b/1", "a/1", "c/1"}) {
		t.Errorf("%v have begun", got)
	}
	err := answered(t, 300*time.Millisecond, func(ctx context.Context) error { return c.call(ctx, t, "b", "1", "again") })
	if text := status.Convert(err).Message(); !strings.Contains(text, "such applications have half of the places") {
		t.Errorf("who waits learns %q", text)
	}
	close(q.next)
	c.all.Wait()
	if err := c.got["b/1/next"]; err != nil {
		t.Errorf("the second one is not rendered afterwards: %v", err)
	}
}

func TestOneIsSuspectUntilItIsAnswered(t *testing.T) {
	q := &queued{ends: &workers.Ended{Cause: workers.StackOverflow}}
	c := queueOf(t, q, func(o *server.Options) { o.Parallelism = 2 })
	for i, app := range []string{"1", "2"} {
		c.begin(t, q, "a", app, "", i+1)
		q.next <- struct{}{}
		c.all.Wait()
	}
	q.ends = nil
	c.begin(t, q, "a", "1", "mended", 3)
	q.next <- struct{}{}
	c.all.Wait()
	c.begin(t, q, "a", "2", "next", 4)
	c.begin(t, q, "a", "1", "next", 5) // beside one that is suspect
	close(q.next)
	c.all.Wait()
}

func TestLateRendersOfManyProjectsGiveAPlaceToOthers(t *testing.T) {
	for name, full := range map[string]bool{"no memory": true, "no worker": false} {
		t.Run(name, func(t *testing.T) {
			q := &queued{}
			c := queueOf(t, q, func(o *server.Options) {
				o.Timeout, o.Parallelism, o.HasSpare = 4*time.Second, 2, func() bool { return !full }
			})
			all := 2
			if !full {
				all = 4
			}
			for i := range all {
				c.begin(t, q, fmt.Sprint("bad", i), "1", "", i+1)
			}
			c.begin(t, q, "good", "1", "", all+1)
			close(q.next)
			c.all.Wait()
			if ended := c.crowdedOut(t); len(ended) > 0 {
				t.Errorf("%v were ended for others, and not begun again", ended)
			}
			if got := q.begun(); got[all] != "good/1" || len(got) != all+2 || !strings.HasPrefix(got[all+1], "bad") {
				t.Errorf("they were rendered as %v", got)
			}
		})
	}
}

func TestARenderThatTakesAsLongAsItsApplicationNeedsIsEndedLast(t *testing.T) {
	q := &queued{}
	var full atomic.Bool
	c := queueOf(t, q, func(o *server.Options) {
		o.Timeout, o.Parallelism, o.HasSpare = 5*time.Second, 2, func() bool { return !full.Load() }
	})
	c.begin(t, q, "slow", "1", "", 1)
	time.AfterFunc(2*time.Second, func() { q.next <- struct{}{} })
	c.all.Wait()
	full.Store(true)
	c.begin(t, q, "bad", "1", "", 2)
	c.begin(t, q, "slow", "1", "next", 3) // last, and it takes what it took
	c.begin(t, q, "good", "1", "", 4)
	close(q.next)
	c.all.Wait()
	if ended := c.crowdedOut(t); len(ended) > 0 {
		t.Errorf("%v were ended for others, and not begun again", ended)
	}
	if got := q.begun(); !slices.Equal(got, []string{"slow/1", "bad/1", "slow/1", "good/1", "bad/1"}) {
		t.Errorf("they were rendered as %v", got)
	}
}

// TestWhatIsSlowIsNotEndedForItsOwnProject has one more call than places, until the time of all is over.
func TestWhatIsSlowIsNotEndedForItsOwnProject(t *testing.T) {
	q := &queued{}
	c := queueOf(t, q, func(o *server.Options) {
		o.Timeout, o.Parallelism, o.HasSpare = 2*time.Second, 2, func() bool { return false }
	})
	c.begin(t, q, "a", "1", "", 1)
	c.begin(t, q, "a", "2", "", 2)
	c.send(t, "a", "3", "", 1)
	c.all.Wait()
	for who, err := range c.got {
		if status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("%s: %v", who, err)
		}
	}
	if log := c.log.String(); strings.Contains(log, "ended for others") {
		t.Error(log)
	}
}

// TestWhatMemoryWasShortForIsRenderedOnceMore has a pool of workers end each render for the memory that others need.
func TestWhatMemoryWasShortForIsRenderedOnceMore(t *testing.T) {
	q := &queued{ends: &workers.Ended{Cause: workers.Crowded}}
	c := queueOf(t, q, nil)
	close(q.next)
	err := c.call(t.Context(), t, "a", "1", "")
	if len(q.begun()) != 2 || err == nil {
		t.Errorf("after %v: %v", q.begun(), err)
	}
}

func TestTheOnlyRenderAtWorkFailsForOthersOnlyWhereItWasEndedBefore(t *testing.T) {
	q := &queued{}
	c := queueOf(t, q, func(o *server.Options) {
		o.Timeout, o.HasSpare = 2*time.Second, func() bool { return false }
	})
	c.begin(t, q, "bad", "1", "", 1)
	c.send(t, "good", "1", "", 1)
	poll(t, "the other one does not begin", func() bool { return len(q.begun()) == 2 })
	q.next <- struct{}{}
	c.all.Wait() // until the first one, which has begun again, has timed out
	if got := status.Code(c.got["bad/1/"]); got != codes.DeadlineExceeded || len(q.begun()) != 3 {
		t.Errorf("the first one, after %v: %v", q.begun(), c.got["bad/1/"])
	}
	delete(c.got, "bad/1/")
	c.begin(t, q, "bad", "1", "next", 4)
	c.begin(t, q, "good", "2", "", 5)
	close(q.next)
	c.all.Wait()
	if ended := c.crowdedOut(t); !slices.Equal(ended, []string{"bad/1/next"}) {
		t.Errorf("%v were ended for others", ended)
	}
}
