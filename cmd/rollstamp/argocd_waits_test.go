package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

// TestWhoWaitsBehindChartsThatLoopIsNeitherBlamedNorPaused has all places taken by charts of the same project that
// never end, so that the others wait until nearly all of their time is over, or all of it.
func TestWhoWaitsBehindChartsThatLoopIsNeitherBlamedNorPaused(t *testing.T) {
	web := freeAddress(t)
	s := soakFor(t, "--parallelism", "2", "--listen", web)
	awaitListener(t, web)
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			files := chartOf(hostile["loop"].files["app/templates/a.yaml"] + fmt.Sprintf("{{/* %d */}}", i))
			_, _, err := s.render(t.Context(), "one", fmt.Sprintf("loop%d", i), servetest.Archive(t, files))
			if text := status.Convert(err).Message(); !strings.Contains(text, "look for a loop") {
				t.Errorf("loop%d: %v", i, err)
			}
		})
	}
	awaitMetrics(t, "http://"+web+"/metrics", "rollstamp_running 2")
	for i := range 5 {
		all.Go(func() { s.answersInTheEnd(t.Context(), t, fmt.Sprintf("web%d", i)) })
	}
	all.Wait()
}

// awaitListener waits until somebody listens at an address.
func awaitListener(t *testing.T, address string) {
	t.Helper()
	var dialer net.Dialer
	again, late := time.NewTicker(10*time.Millisecond), time.After(30*time.Second)
	defer again.Stop()
	for {
		c, err := dialer.DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-again.C:
		case <-late:
			t.Fatalf("nobody listens at %s: %v", address, err)
		}
	}
}

// answersInTheEnd calls for an application that is in order until it is answered, as a repository server does.
func (s *soak) answersInTheEnd(ctx context.Context, t *testing.T, app string) {
	archive := servetest.Archive(t, chartOf("kind: ConfigMap\napiVersion: v1\nmetadata: {name: "+app+"}\n"))
	for range 3 {
		took, out, err := s.render(ctx, "one", app, archive)
		t.Logf("%s: %s: %v", app, took, err)
		if err == nil {
			if len(out) != 1 || !strings.Contains(out[0], app) {
				t.Errorf("%s: got %q", app, out)
			}
			return
		}
		text := status.Convert(err).Message()
		if status.Code(err) != codes.DeadlineExceeded || !strings.Contains(text, "for its turn while others were rendered") ||
			strings.Contains(text, "look for a loop") {
			t.Errorf("%s: %v", app, err)
		}
	}
	t.Errorf("%s is not answered", app)
}

// TestAProjectThatHasAllPlacesKeepsNoOtherWaiting has one project take all places with charts that never end: two that
// hold more than half of the memory, or as many as there are workers. Another one calls meanwhile.
func TestAProjectThatHasAllPlacesKeepsNoOtherWaiting(t *testing.T) {
	for name, row := range map[string]struct {
		template string
		loops    int
		memory   string
	}{
		"memory": {`{{ $x := repeat 80000000 "x" }}{{ range until 1000000 }}{{ range until 1000 }}{{ end }}{{ end }}` +
			`{{ len $x }}`, 2, "256Mi"},
		"workers": {`{{ range until 1000000 }}{{ range until 1000 }}{{ end }}{{ end }}`, 4, "1Gi"},
	} {
		t.Run(name, func(t *testing.T) {
			web := freeAddress(t)
			s := soakFor(t, "--parallelism", "2", "--listen", web, "--max-render-memory", row.memory)
			awaitListener(t, web)
			s.answersAtOnce(t, "first") // the other project is not alone
			var all sync.WaitGroup
			for i := range row.loops {
				all.Go(func() {
					archive := servetest.Archive(t, chartOf(row.template+fmt.Sprintf("{{/* %d */}}", i)))
					if _, _, err := s.render(t.Context(), "one", fmt.Sprintf("loop%d", i), archive); err == nil {
						t.Errorf("loop%d ends", i)
					}
				})
				awaitMetrics(t, "http://"+web+"/metrics", fmt.Sprintf("rollstamp_running %d", i+1))
			}
			for i := range 3 {
				s.answersAtOnce(t, fmt.Sprintf("web%d", i))
			}
			all.Wait()
		})
	}
}

// answersAtOnce calls for an application of a project of its own.
func (s *soak) answersAtOnce(t *testing.T, app string) {
	t.Helper()
	archive := servetest.Archive(t, chartOf("kind: ConfigMap\napiVersion: v1\nmetadata: {name: "+app+"}\n"))
	took, _, err := s.render(t.Context(), "two", app, archive)
	if t.Logf("%s: %s", app, took); err != nil {
		t.Errorf("%s: %v", app, err)
	}
}

// TestARenderWhoseWorkerIsKilledFromOutsideCanBeTriedAgain kills all workers in the middle of a render, as a kernel
// does that runs out of memory: it says nothing about the application. The call after it gets none of the killed ones.
func TestARenderWhoseWorkerIsKilledFromOutsideCanBeTriedAgain(t *testing.T) {
	web := freeAddress(t)
	s := soakFor(t, "--parallelism", "2", "--listen", web)
	awaitListener(t, web)
	s.answersAtOnce(t, "before")
	awaitMetrics(t, "http://"+web+"/metrics", "rollstamp_queue 0") // over a connection that stays
	before := ofProcess(t, s.process.Process.Pid)
	ended := make(chan error)
	go func() {
		_, _, err := s.render(t.Context(), "one", "loop", servetest.Archive(t, hostile["loop"].files))
		ended <- err
	}()
	awaitMetrics(t, "http://"+web+"/metrics", `rollstamp_workers{state="busy"} 1`)
	for _, pid := range childrenOf(s.process.Process.Pid) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	got := status.Convert(<-ended)
	if got.Code() != codes.Unavailable || !strings.Contains(got.Message(), "killed from outside") {
		t.Errorf("it got %v", got)
	}
	s.answersAtOnce(t, "after")
	s.settles(t, before)
}
