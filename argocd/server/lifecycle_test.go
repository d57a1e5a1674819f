package server_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

func TestAClientsDeadlineEndsACallWithOurWords(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 2)},
		func(o *server.Options) { o.Timeout = 200 * time.Millisecond })
	_, err := r.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web"})
	if s := status.Convert(err); s.Code() != codes.DeadlineExceeded ||
		!strings.HasPrefix(s.Message(), "not finished after 200ms\nhint: ") {
		t.Errorf("our limit: %v %q", s.Code(), s.Message())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = r.Manifests(ctx, servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web"})
	if s := status.Convert(err); s.Code() != codes.DeadlineExceeded ||
		!strings.HasPrefix(s.Message(), "not finished after ") {
		t.Errorf("the client's: %v %q", s.Code(), s.Message())
	}
}

func TestARenderWithoutCallersIsCancelled(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 2)}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.Manifests(ctx, servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web"})
		ended <- err
	}()
	<-r.plugin.entered
	cancel()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("the client got %v", err)
	}
	r.waitFor(t, "rollstamp_running 0") // the render came back though nobody let it go on
}

// answered calls the server with a deadline, and with longer ones where its answer has not come before it: what the
// server leaves itself for the answer may be too little on a busy machine.
func answered(t *testing.T, limit time.Duration, call func(context.Context) error) (err error) {
	t.Helper()
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		err = call(ctx)
		late := ctx.Err() != nil
		cancel()
		if !late {
			break
		}
		limit *= 2
	}
	return err
}

func TestRendersWithoutEndMakeTheServerUnhealthy(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 2), stubborn: true},
		func(o *server.Options) { o.Grace = 0 })
	healthy := func() healthpb.HealthCheckResponse_ServingStatus {
		answer, err := healthpb.NewHealthClient(r.Conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Status
	}
	if healthy() != healthpb.HealthCheckResponse_SERVING {
		t.Error("unhealthy from the start")
	}
	for i := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-r.plugin.entered
			cancel()
		}()
		_, _ = r.Manifests(ctx, servetest.Upload{Archive: servetest.Archive(t, tree("n", strings.Repeat("x", i))),
			Dir: "apps/web"})
	}
	r.waitFor(t, "rollstamp_stuck 2")
	err := answered(t, time.Second, func(ctx context.Context) error {
		_, err := r.Manifests(ctx, servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web"})
		return err
	})
	if message := status.Convert(err).Message(); !strings.Contains(message, "no render can run: 2 continue") {
		t.Errorf("a call meanwhile got %q", message)
	}
	if healthy() != healthpb.HealthCheckResponse_NOT_SERVING || r.server.Healthy() == nil {
		t.Error("healthy although each slot is taken for ever")
	}
	close(r.plugin.hold)
	r.waitFor(t, "rollstamp_stuck 0")
	if r.server.Healthy() != nil {
		t.Error("unhealthy although the renders ended")
	}
}

func TestARenderWithoutEndTakesOnePlaceFromTheOthers(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 8), stubborn: true},
		func(o *server.Options) { o.Grace = 0 })
	endless := func(ctx context.Context, more string) error {
		up := servetest.Upload{Archive: servetest.Archive(t, tree("n", more)), Dir: "apps/web",
			Env: map[string]string{"ARGOCD_APP_NAME": "endless"}}
		_, err := r.Manifests(ctx, up)
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-r.plugin.entered
		cancel()
	}()
	_ = endless(ctx, "")
	r.waitFor(t, "rollstamp_stuck 1")
	for _, commit := range []string{"b", "c"} {
		err := answered(t, time.Second, func(ctx context.Context) error { return endless(ctx, commit) })
		if said := status.Convert(err).Message(); !strings.Contains(said,
			"an earlier render of this application goes on after ") {
			t.Errorf("commit %s got %q", commit, said)
		}
	}
	if n := r.plugin.count(); n != 1 || r.server.Healthy() != nil {
		t.Errorf("%d renders were begun; healthy: %v", n, r.server.Healthy())
	}
	go func() { r.plugin.hold <- struct{}{} }()
	r.waitFor(t, "rollstamp_stuck 0")
	close(r.plugin.hold)
	if err := endless(t.Context(), ""); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

func TestAStopLetsRunningCallsFinish(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 2)}, nil)
	ended := make(chan error, 1)
	go func() {
		_, err := r.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web"})
		ended <- err
	}()
	<-r.plugin.entered
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	poll(t, "the socket is still there", func() bool {
		_, err := os.Lstat(r.socket)
		return errors.Is(err, os.ErrNotExist)
	})
	late := servetest.Dial(t, r.socket)
	if _, err := late.Manifests(t.Context(),
		servetest.Upload{Archive: servetest.Archive(t, tree())}); status.Code(err) != codes.Unavailable {
		t.Errorf("a call after the stop: %v", err)
	}
	close(r.plugin.hold)
	if err := <-ended; err != nil {
		t.Errorf("the running call: %v", err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("the server: %v", err)
	}
}
