package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/argocd/server/servetest"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// queued is a plugin whose renders begin in an order, and go on when the test says so.
type queued struct {
	plugin
	mu    sync.Mutex
	order []string
	next  chan struct{}
	ends  error         // of each render; nil for an answer
	goes  chan struct{} // received from before a render ends whose time is over; nil for at once
}

func (q *queued) Prepare(_ context.Context, c server.Call) (server.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.order = append(q.order, c.Env["ARGOCD_APP_PROJECT_NAME"]+"/"+c.Env["ARGOCD_APP_NAME"])
	return queuedJob{q}, nil
}

func (q *queued) begun() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.order)
}

type queuedJob struct{ *queued }

func (queuedJob) Key() []byte { return nil }
func (queuedJob) Close()      {}
func (j queuedJob) Run(ctx context.Context) (*server.Answer, error) {
	select {
	case <-j.next:
	case <-ctx.Done():
		if j.goes != nil {
			<-j.goes
		}
		return nil, &workers.Ended{Cause: workers.OutOfTime, Err: context.Cause(ctx)}
	}
	return &server.Answer{}, j.ends
}

// calls are calls in the background.
type calls struct {
	*running
	all sync.WaitGroup
	mu  sync.Mutex
	got map[string]error // by project/application/content
}

// send sends a call and waits until so many wait.
func (c *calls) send(t *testing.T, project, app, content string, waiting int) {
	t.Helper()
	c.all.Go(func() {
		err := c.call(t.Context(), t, project, app, content)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got[strings.Join([]string{project, app, content}, "/")] = err
	})
	if waiting >= 0 {
		c.waitFor(t, fmt.Sprintf("rollstamp_queue %d", waiting))
	}
}

func (c *calls) call(ctx context.Context, t *testing.T, project, app, content string) error {
	_, err := c.Manifests(ctx, servetest.Upload{Archive: servetest.Archive(t, tree("n", content)), Dir: "apps/web",
		Env: map[string]string{"ARGOCD_APP_NAME": app, "ARGOCD_APP_PROJECT_NAME": project}})
	return err
}

func queueOf(t *testing.T, q *queued, change func(*server.Options)) *calls {
	t.Helper()
	q.next = make(chan struct{})
	r := start(t, &q.plugin, func(o *server.Options) {
		o.Plugin, o.Parallelism, o.Contained = q, 1, true
		if change != nil {
			change(o)
		}
	})
	return &calls{running: r, got: map[string]error{}}
}

func TestProjectsTakeTurnsAndThenTheirApplications(t *testing.T) {
	q := &queued{}
	c := queueOf(t, q, nil)
	c.send(t, "a", "1", "", -1)
	poll(t, "the first one does not begin", func() bool { return len(q.begun()) == 1 })
	for i, one := range [][2]string{{"a", "2"}, {"a", "1"}, {"a", "3"}, {"b", "1"}, {"a", "4"}, {"b", "2"}, {"c", "1"}} {
		c.send(t, one[0], one[1], "next", i+1)
	}
	close(q.next)
	c.all.Wait()
	want := []string{"a/1", "b/1", "c/1", "a/2", "b/2", "a/3", "a/4", "a/1"}
	if got := q.begun(); !slices.Equal(got, want) {
		t.Errorf("they were rendered as %v, want %v", got, want)
	}
}

func TestAnApplicationIsRenderedOnceAtATime(t *testing.T) {
	q := &queued{}
	c := queueOf(t, q, func(o *server.Options) { o.Parallelism = 3 })
	c.send(t, "a", "1", "", -1)
	c.waitFor(t, "rollstamp_running 1")
	c.send(t, "a", "1", "next", 1)
	c.send(t, "a", "2", "", 1)
	poll(t, "the other one does not begin", func() bool { return len(q.begun()) == 2 })
	if got := q.begun(); !slices.Equal(got, []string{"a/1", "a/2"}) {
		t.Errorf("%v are rendered", got)
	}
	close(q.next)
	c.all.Wait()
	if len(q.begun()) != 3 {
		t.Errorf("%v were rendered", q.begun())
	}
}

func TestAProjectThatIsNotAloneDoesNotGetTheLastPlace(t *testing.T) {
	q := &queued{}
	c := queueOf(t, q, func(o *server.Options) { o.Parallelism = 2 })
	c.send(t, "b", "1", "", -1)
	c.waitFor(t, "rollstamp_running 1")
	q.next <- struct{}{}
	c.all.Wait()
	c.send(t, "a", "1", "", -1)
	c.waitFor(t, "rollstamp_running 1")
	c.send(t, "a", "2", "", 1)
	c.send(t, "b", "1", "next", -1)
	poll(t, "the other project does not begin", func() bool { return len(q.begun()) == 3 })
	if got := q.begun(); !slices.Equal(got, []string{"b/1", "a/1", "b/1"}) {
		t.Errorf("%v are rendered", got)
	}
	close(q.next)
	c.all.Wait()
}

func TestWhoWaitsUntilItsTimeIsOverLearnsForWhom(t *testing.T) {
	q := &queued{}
	c := queueOf(t, q, nil)
	c.send(t, "a", "secret-name", "", -1)
	c.waitFor(t, "rollstamp_running 1")
	for _, row := range []struct{ project, app, want, hint string }{
		{"a", "other", "for its turn while others were rendered: secret-name of its project", "--parallelism"},
		{"b", "web", "for its turn while others were rendered: 1 of other projects", "--parallelism"},
		{"a", "secret-name", "for an earlier render of this application, which goes on after ", "an application is rendered once at a time"},
	} {
		err := answered(t, 300*time.Millisecond, func(ctx context.Context) error {
			return c.call(ctx, t, row.project, row.app, "next")
		})
		text := status.Convert(err).Message()
		if status.Code(err) != codes.DeadlineExceeded || !strings.Contains(text, row.want) ||
			!strings.Contains(text, row.hint) || row.project != "a" && strings.Contains(text, "secret-name") {
			t.Errorf("%s/%s: %v", row.project, row.app, err)
		}
	}
	c.waitFor(t, `rollstamp_waits_seconds_count{call="GenerateManifest",result="overdue"} 3`)
	close(q.next)
	c.all.Wait()
}

func TestTooLongAQueueIsAnsweredAtOnce(t *testing.T) {
	q := &queued{}
	c := queueOf(t, q, func(o *server.Options) { o.Queue = 2 })
	c.send(t, "a", "1", "", -1)
	c.waitFor(t, "rollstamp_running 1")
	c.send(t, "a", "2", "", 1)
	c.send(t, "a", "3", "", 2)
	if err := c.call(t.Context(), t, "a", "4", ""); status.Code(err) != codes.Unavailable ||
		!strings.Contains(status.Convert(err).Message(), "2 calls wait") {
		t.Errorf("one more of the same project: %v", err)
	}
	c.send(t, "b", "1", "", -1) // has one of a refused, which has more
	poll(t, "none of a was refused", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return status.Code(c.got["a/3/"]) == codes.Unavailable
	})
	close(q.next)
	c.all.Wait()
	for result, count := range map[string]int{"refused": 2, "ok": 3} {
		c.waitFor(t, fmt.Sprintf(`rollstamp_waits_seconds_count{call="GenerateManifest",result=%q} %d`, result, count))
	}
	if err := errors.Join(c.got["a/1/"], c.got["a/2/"], c.got["b/1/"]); err != nil {
		t.Error(err)
	}
}

func TestWhatEndedItsProcessIsNotRenderedAgainAtOnce(t *testing.T) {
	for name, row := range map[string]struct {
		ends error
		code codes.Code
	}{
		"memory": {&workers.Ended{Cause: workers.OutOfMemory, Limit: 1 << 20}, codes.ResourceExhausted},
		"stack": {diag.Input(diag.Position{}, &workers.Ended{Cause: workers.StackOverflow}, "Look."),
			codes.InvalidArgument},
		"time": {nil, codes.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			q := &queued{ends: row.ends}
			c := queueOf(t, q, func(o *server.Options) { o.Timeout = 600 * time.Millisecond })
			if row.ends != nil {
				close(q.next)
			}
			err := c.call(t.Context(), t, "a", "1", "")
			if status.Code(err) != row.code {
				t.Fatalf("the first one: %v", err)
			}
			c.waitFor(t, "rollstamp_running 0")
			again := c.call(t.Context(), t, "a", "1", "")
			if text := status.Convert(again).Message(); status.Code(again) != codes.Unavailable ||
				strings.Count(text, "an equal call is rendered again in ") != 1 || len(q.begun()) != 1 {
				t.Errorf("again: %v, after %v", again, q.begun())
			}
			if row.ends == nil {
				close(q.next)
			}
			if err := c.call(t.Context(), t, "a", "1", "mended"); status.Code(err) == codes.Unavailable ||
				len(q.begun()) != 2 {
				t.Errorf("with other files: %v, after %v", err, q.begun())
			}
			if !strings.Contains(c.log.String(), `"msg":"begin","app":"1","project":"a"`) {
				t.Error("the log does not name it before it begins")
			}
		})
	}
}

func TestACallerThatGoesAwayHasNothingRefused(t *testing.T) {
	q := &queued{}
	c := queueOf(t, q, nil)
	ctx, cancel := context.WithCancel(t.Context())
	c.all.Go(func() { _ = c.call(ctx, t, "a", "1", "") })
	c.waitFor(t, "rollstamp_running 1")
	cancel()
	c.waitFor(t, "rollstamp_running 0")
	close(q.next)
	if err := c.call(t.Context(), t, "a", "1", ""); err != nil {
		t.Error(err)
	}
	c.all.Wait()
}

func TestWhoHadOnlyTheRestOfItsTimeIsNotBlamedNorPaused(t *testing.T) {
	q := &queued{}
	c := queueOf(t, q, func(o *server.Options) { o.Timeout = 2 * time.Second })
	c.send(t, "a", "slow", "", -1)
	c.waitFor(t, "rollstamp_running 1")
	begun := time.Now()
	c.send(t, "a", "web", "", 1)
	c.send(t, "b", "web", "", 2)
	if time.Since(begun) > time.Second {
		t.Skip("the machine is too slow to tell the waits apart")
	}
	time.AfterFunc(time.Until(begun.Add(1500*time.Millisecond)), func() { q.next <- struct{}{} })
	c.all.Wait()
	for name, want := range map[string]string{
		"a/web/": "for its turn while others were rendered: ",
		"b/web/": "for its turn while others were rendered: 1 of other projects, and was then worked on for ",
	} {
		err := c.got[name]
		text := status.Convert(err).Message()
		if status.Code(err) != codes.DeadlineExceeded || !strings.Contains(text, want) || strings.Contains(text, "loop") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text := c.got["a/slow/"]; text != nil {
		t.Errorf("the first one: %v", text)
	}
	close(q.next)
	for _, project := range []string{"a", "b"} {
		if err := c.call(t.Context(), t, project, "web", ""); err != nil {
			t.Errorf("%s again: %v", project, err)
		}
	}
}

func TestACallThatMeetsAPauseDoesNotLengthenIt(t *testing.T) {
	q := &queued{goes: make(chan struct{})}
	c := queueOf(t, q, func(o *server.Options) { o.Timeout = time.Second })
	if err := c.call(t.Context(), t, "a", "1", ""); status.Code(err) != codes.DeadlineExceeded {
		t.Fatal(err)
	}
	c.send(t, "a", "1", "", 1) // its worker goes on meanwhile
	close(q.goes)
	c.all.Wait()
	for _, err := range []error{c.got["a/1/"], c.call(t.Context(), t, "a", "1", "")} {
		if text := status.Convert(err).Message(); strings.Count(text, "rendered again in") != 1 {
			t.Errorf("got %q", text)
		}
	}
	if len(q.begun()) != 1 {
		t.Errorf("rendered: %v", q.begun())
	}
}

func TestARenderThatTakesLongGivesItsSlotToOthers(t *testing.T) {
	q := &queued{}
	var full atomic.Bool
	c := queueOf(t, q, func(o *server.Options) {
		o.Timeout, o.Parallelism, o.HasSpare = 10*time.Second, 2, func() bool { return !full.Load() }
	})
	full.Store(true)
	c.send(t, "a", "1", "", -1)
	c.send(t, "b", "1", "", -1)
	poll(t, "two do not begin", func() bool { return len(q.begun()) == 2 })
	c.send(t, "c", "1", "", 1)
	c.send(t, "a", "2", "", 2)
	if n := len(q.begun()); n != 2 {
		t.Fatalf("%d renders at once without room for more than 2", n)
	}
	full.Store(false)
	poll(t, "others wait for renders that take long", func() bool { return len(q.begun()) == 4 })
	c.send(t, "d", "1", "", 1)
	close(q.next)
	c.all.Wait()
	for who, err := range c.got {
		if err != nil {
			t.Errorf("%s: %v", who, err)
		}
	}
}

func TestAProjectThatHasAllPlacesGivesOneBack(t *testing.T) {
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
				c.send(t, "a", fmt.Sprint(i), "", -1)
				poll(t, "one does not begin", func() bool { return len(q.begun()) == i+1 })
			}
			c.send(t, "b", "1", "", -1)
			poll(t, "another project waits", func() bool { return len(q.begun()) == all+1 })
			if last := q.begun()[all]; last != "b/1" {
				t.Errorf("%s begins", last)
			}
			close(q.next)
			c.all.Wait()
			if ended := c.crowdedOut(t); len(ended) > 0 {
				t.Errorf("%v were ended for others, and not begun again", ended)
			}
			if got := q.begun(); len(got) != all+2 || !strings.HasPrefix(got[all+1], "a/") {
				t.Errorf("they were rendered as %v", got)
			}
		})
	}
}
