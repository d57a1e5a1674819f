package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"time"

	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/rollstamp/rollstamp/internal/workers"
)

// healthService is gRPC's health service, with the result of Healthy.
type healthService struct {
	*health.Server
	healthy func() error
}

func (c healthService) Check(
	ctx context.Context, in *healthpb.HealthCheckRequest,
) (*healthpb.HealthCheckResponse, error) {
	if c.healthy() != nil {
		return &healthpb.HealthCheckResponse{Status: healthpb.HealthCheckResponse_NOT_SERVING}, nil
	}
	return c.Server.Check(ctx, in)
}

// Handler answers /healthz, for a liveness probe, and /metrics.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.Healthy(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = s.WriteMetrics(w) // a client that has gone needs no answer
	})
	return mux
}

// ServeHTTP answers Handler's pages on a listener until ctx ends.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener) error {
	web := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10}
	stop := context.AfterFunc(ctx, func() { _ = web.Close() })
	defer stop()
	if err := web.Serve(l); ctx.Err() == nil {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}

// WriteMetrics writes the metrics in Prometheus's text format, in the same order each time.
func (s *Server) WriteMetrics(w io.Writer) error {
	p := &page{w: bufio.NewWriter(w)}
	m := &s.metrics
	m.mu.Lock()
	p.histograms("rollstamp_calls_seconds", "Calls of the repository server.", [2]string{"call", "code"}, m.calls)
	p.histograms("rollstamp_renders_seconds", "Renders that no cache spared.", [2]string{"kind", "result"}, m.renders)
	p.histograms("rollstamp_waits_seconds", "How long calls waited for their turn.", [2]string{"call", "result"}, m.waits)
	p.counters("rollstamp_answers_total", "Answers, by how they were come by.", "how", m.answers)
	p.counters("rollstamp_findings_total", "Findings of renders, by code.", "code", m.findings)
	m.mu.Unlock()
	values, bytes := s.replies.size()
	waiting, working, stuck := s.turns.count()
	p.one("rollstamp_stamped_workloads_total", "counter", "Workloads that were stamped in renders.", m.stamped.Load())
	p.one("rollstamp_manifests_total", "counter", "Manifests that were rendered.", m.written.Load())
	p.one("rollstamp_received_bytes_total", "counter", "Bytes of archives, as sent.", m.received.Load())
	p.one("rollstamp_sent_bytes_total", "counter", "Bytes of answers.", m.sent.Load())
	p.one("rollstamp_queue", "gauge", "Calls that wait for their turn.", int64(waiting))
	p.one("rollstamp_running", "gauge", "Calls that are worked on.", int64(working))
	p.one("rollstamp_joined", "gauge", "Calls that wait for the render of an equal call.", int64(s.flights.joiners()))
	p.one("rollstamp_stuck", "gauge", "Renders that continue although no call waits for them.", int64(stuck))
	p.one("rollstamp_cache_entries", "gauge", "Answers that are kept.", int64(values))
	p.one("rollstamp_cache_bytes", "gauge", "Bytes of answers that are kept.", bytes)
	if s.opts.Workers != nil {
		p.workers(s.opts.Workers())
	}
	trees, treeBytes := s.treeCache.size()
	p.one("rollstamp_trees", "gauge", "Trees that are kept.", int64(trees))
	p.one("rollstamp_tree_bytes", "gauge", "Bytes of trees that are kept.", treeBytes)
	p.one("rollstamp_goroutines", "gauge", "Goroutines.", int64(runtime.NumGoroutine()))
	p.counters("rollstamp_build_info", "The version that runs.", "version", map[string]int64{s.opts.Version: 1})
	return p.w.Flush()
}

// workers writes the metrics of the processes that render.
func (p *page) workers(c workers.Counts) {
	ended := map[string]int64{}
	for cause, n := range c.Ended {
		ended[string(cause)] = n
	}
	p.counters("rollstamp_workers", "Worker processes, by whether they render.", "state",
		map[string]int64{"busy": c.Busy, "idle": c.Idle})
	p.one("rollstamp_workers_started_total", "counter", "Worker processes that were started.", c.Started)
	p.counters("rollstamp_workers_ended_total", "Worker processes that a render ended, by cause.", "cause", ended)
	p.one("rollstamp_workers_renewed_total", "counter",
		"Worker processes that were replaced after a render, because they had taken much memory.", c.Renewed)
}

// Healthy returns an error if no render can run, because each slot is used by one that does not end.
func (s *Server) Healthy() error {
	if _, _, stuck := s.turns.count(); !s.opts.Contained && stuck >= s.opts.Parallelism {
		return fmt.Errorf("no render can run: %d continue although no call waits for them", stuck)
	}
	return nil
}
