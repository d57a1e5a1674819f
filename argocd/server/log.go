package server

import (
	"context"
	"log/slog"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/diag"
)

// appName is the variable with the application's name.
const appName = "ARGOCD_APP_NAME"

// callLog is what is logged of one call: names and numbers, nothing from the files, and only those variables that name
// the application.
type callLog struct {
	call  string
	begun time.Time
	caller
	revision  string
	how       string // "" where nothing was rendered
	archive   int    // bytes
	manifests int
	sent      int   // bytes
	earlier   *turn // of the application, still running without a caller when the call came; or nil
	waits     error // what it waited for, and so had little time itself; or nil
}

func (n *callLog) logUpload(u *upload) {
	n.caller, n.revision = u.caller(), u.env["ARGOCD_APP_REVISION"]
	n.archive = len(u.archive)
}

// caller returns whom a call is for.
func (u *upload) caller() caller { return caller{u.env["ARGOCD_APP_PROJECT_NAME"], u.env[appName]} }

// logBegin logs a call before anything is done with its content: where that ends the process, the log names it.
func (s *Server) logBegin(ctx context.Context, u *upload) {
	who := u.caller()
	s.opts.Log.LogAttrs(ctx, slog.LevelInfo, "begin", slog.String("app", who.app), slog.String("project", who.project),
		slog.String("revision", u.env["ARGOCD_APP_REVISION"]))
}

// finish counts a call and logs it.
func (s *Server) finish(ctx context.Context, n *callLog, err error) {
	took := time.Since(n.begun)
	code := status.Code(err)
	s.metrics.observe(&s.metrics.calls, [2]string{n.call, code.String()}, took)
	s.metrics.received.Add(int64(n.archive))
	s.metrics.sent.Add(int64(n.sent))
	if n.how != "" {
		s.metrics.add(&s.metrics.answers, n.how)
	}
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("call", n.call), slog.String("app", n.app), slog.String("project", n.project),
		slog.String("revision", n.revision),
		slog.String("code", code.String()), slog.Float64("seconds", took.Seconds()), slog.Int("archive", n.archive),
	}
	if n.how != "" {
		attrs = append(attrs, slog.String("how", n.how), slog.Int("manifests", n.manifests), slog.Int("sent", n.sent))
	}
	if err != nil {
		level = slog.LevelWarn
		if code == codes.Internal {
			level = slog.LevelError
		}
		attrs = append(attrs, slog.String("error", status.Convert(err).Message()))
	}
	s.opts.Log.LogAttrs(ctx, level, "call", attrs...)
}

// logFindings logs the findings of a render.
func (s *Server) logFindings(ctx context.Context, app string, findings []diag.Finding) {
	for _, f := range findings {
		level := slog.LevelDebug
		switch {
		case f.Severity.AtLeast(diag.Warning):
			level = slog.LevelWarn
		case f.Code == diag.SourceFollowed: // nothing in Git says which commit was rendered
			level = slog.LevelInfo
		}
		s.opts.Log.LogAttrs(ctx, level, "finding", slog.String("app", app), slog.String("finding", string(f.Code)),
			slog.String("object", f.Object), slog.String("key", f.Key), slog.String("file", plain(f.File)),
			slog.Int("line", f.Line), slog.Int("renderLine", f.RenderLine),
			slog.String("message", short(plain(f.Message))))
	}
}
