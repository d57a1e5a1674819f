package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/render"
)

// Names in the contract: of the service, and of the call that renders.
const (
	service      = "plugin.ConfigManagementPluginService"
	generateCall = "GenerateManifest"
)

// New makes a server.
func New(opts Options) *Server {
	s := &Server{
		opts:      opts,
		waiting:   semaphore.NewWeighted(opts.Limits.Waiting),
		trees:     semaphore.NewWeighted(opts.Limits.Trees),
		turns:     newTurns(&opts),
		treeCache: newCache(opts.Limits.Kept, treeCost),
		replies:   newReplies(opts.Cache),
		pauses:    newCache(1<<20, func(pause) int64 { return pauseSize }),
		health:    health.NewServer(),
	}
	s.ended, s.end = context.WithCancelCause(context.Background())
	s.grpc = grpc.NewServer(
		grpc.ForceServerCodecV2(newCodec()),
		grpc.MaxRecvMsgSize(MaxAnswer), grpc.MaxSendMsgSize(MaxAnswer+1<<20),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPing, PermitWithoutStream: true}),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window),
	)
	s.grpc.RegisterService(s.describe(), s)
	healthpb.RegisterHealthServer(s.grpc, healthService{s.health, s.Healthy})
	return s
}

const (
	// minPing is how often a client may ping; Argo CD's do every ten seconds.
	minPing = 5 * time.Second
	// window is how much a client may send before it waits for acknowledgement: the archives of most applications.
	window = 1 << 20
)

// describe returns the service of plugin.proto.
func (s *Server) describe() *grpc.ServiceDesc {
	stream := func(name string, do func(context.Context, grpc.ServerStream, *callLog) error) grpc.StreamDesc {
		return grpc.StreamDesc{StreamName: name, ClientStreams: true,
			Handler: func(_ any, stream grpc.ServerStream) error {
				return s.handle(name, stream, do)
			}}
	}
	check := func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		return &frame{flags(s.opts.Discover, false)}, decode(new(frame))
	}
	return &grpc.ServiceDesc{
		ServiceName: service,
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "CheckPluginConfiguration", Handler: check}},
		Streams: []grpc.StreamDesc{
			stream(generateCall, s.generate),
			stream("MatchRepository", s.match),
			stream("GetParametersAnnouncement", s.announce),
		},
		Metadata: "plugin.proto",
	}
}

// reserve is the part of a client's deadline that is left for sending the error.
const reserve = 100 * time.Millisecond

// handle serves one call, up to its line in the log.
func (s *Server) handle(name string, stream grpc.ServerStream,
	do func(context.Context, grpc.ServerStream, *callLog) error) error {
	n := &callLog{call: name, begun: time.Now()}
	stuck := s.Healthy()
	limit := s.opts.Timeout
	if deadline, ok := stream.Context().Deadline(); ok {
		limit = min(limit, time.Until(deadline)-reserve)
	}
	base, end := context.WithCancelCause(stream.Context())
	defer context.AfterFunc(s.ended, func() { end(context.Cause(s.ended)) })()
	ctx, cancel := context.WithTimeoutCause(base, limit, timeoutError{limit.Round(time.Millisecond)})
	defer cancel()
	err := withRecover(func() error { return do(ctx, stream, n) })
	if ctx.Err() != nil && err != nil && stream.Context().Err() == nil {
		err = s.overdue(context.Cause(ctx), stuck, n) // whatever the interrupted stage returned
	}
	err = failure(err)
	s.finish(ctx, n, err)
	return err
}

// overdue returns the error of a call whose time is over, with the likely reason: stuck is the state of the server
// when the call came.
func (s *Server) overdue(err, stuck error, n *callLog) error {
	if errors.As(err, new(outOfMemory)) {
		return diag.Input(diag.Position{}, err, outOfMemoryHint)
	}
	if n.earlier != nil && s.turns.stuckFor(n.caller) == n.earlier {
		return diag.Input(diag.Position{}, fmt.Errorf("%w: an earlier render of this application goes on after %s",
			err, time.Since(n.earlier.begun).Round(time.Second)),
			"Look for an endless loop in its templates or its Jsonnet. Others are rendered meanwhile; only a restart of the "+
				"plugin's process ends it.")
	}
	if stuck != nil {
		return diag.Input(diag.Position{}, fmt.Errorf("%w: %w", err, stuck),
			"It is not this application: look for an endless loop in the templates or the Jsonnet of others.")
	}
	if n.waits != nil {
		hint := "Make the call again, or let more be rendered at once with --parallelism."
		if w := (waitError{}); errors.As(n.waits, &w) && w.own > 0 {
			hint = "Make the call again: an application is rendered once at a time."
		}
		return diag.Input(diag.Position{}, fmt.Errorf("%w: %w", err, n.waits), hint)
	}
	return diag.Input(diag.Position{}, err, render.LoopHint)
}

func withRecover(do func() error) (err error) {
	defer fault.Catch(&err)
	return do()
}

// Serve answers on a listener until ctx ends, lets running calls finish for Options.Grace, and closes the listener. It
// fails if the memory does not suffice.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.grpc.Serve(l) }()
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go s.watchMemory(watching)
	grace := s.opts.Grace
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	case <-s.ended.Done():
		grace = stopGrace
	}
	s.health.Shutdown()
	s.opts.Log.Info("stopping", "grace", grace.String())
	done := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(grace):
		s.opts.Log.Warn("calls still run and are given up")
		s.grpc.Stop()
	}
	if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	if err := context.Cause(s.ended); err != nil {
		return diag.Input(diag.Position{}, err, outOfMemoryHint)
	}
	return nil
}
