package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"google.golang.org/grpc/health"
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
