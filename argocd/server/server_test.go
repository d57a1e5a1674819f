package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/argocd/server/servetest"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
)

// plugin renders plain manifests with the real pipeline. Hold, where it is set, is received from before a render runs.
type plugin struct {
	mu       sync.Mutex
	runs     int
	state    string
	hold     chan struct{}
	entered  chan struct{}
	stubborn bool // a render that is held does not end with its context
}

func (p *plugin) State() []byte { return []byte(p.state) }

func (p *plugin) Prepare(_ context.Context, c server.Call) (server.Job, error) {
	return &work{p, c}, nil
}

func (p *plugin) Match(_ context.Context, c server.Call) (bool, error) {
	_, err := c.Tree.Stat(filepath.Join(c.Dir, "mine.yaml"))
	return err == nil, nil
}

func (p *plugin) Announce(context.Context, server.Call) ([]announce.Parameter, []diag.Finding, error) {
	return []announce.Parameter{
		{Name: "a", Title: "A", Tooltip: "tip", Required: true, ItemType: "string", CollectionType: "map",
			Map: map[string]string{"k": "v", "l": ""}},
		{Name: "b", CollectionType: "array", Array: []string{"x", "", "y"}},
		{Name: "c", CollectionType: "string", String: "text"},
	}, nil, nil
}

func (p *plugin) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs
}

type work struct {
	*plugin
	call server.Call
}

func (w *work) Key() []byte {
	if w.call.Env["ONCE"] != "" {
		return nil
	}
	return []byte("key " + w.call.Env["KEY"])
}

func (w *work) Close() {}

func (w *work) Run(ctx context.Context) (*server.Answer, error) {
	w.mu.Lock()
	w.runs++
	w.mu.Unlock()
	if w.hold != nil {
		w.entered <- struct{}{}
		done := ctx.Done()
		if w.stubborn {
			done = nil
		}
		select {
		case <-w.hold:
		case <-done:
			return nil, ctx.Err()
		}
	}
	result, err := pipeline.Run(ctx, app.New(app.Spec{
		Kind: render.KindPlain, Request: &render.Request{Path: w.call.Dir, Files: w.call.Tree},
		Engines: render.Engines{render.KindPlain: plain.Engine{}}, Stamping: &app.Stamping{},
	}))
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if _, err := result.WriteTo(&text); err != nil {
		return nil, err
	}
	documents, err := server.Documents(text.Bytes())
	return &server.Answer{Kind: "plain", Documents: documents, Findings: result.Findings(), Stamped: 1,
		Reusable: true}, err
}

// running is a server with a client of it.
type running struct {
	*servetest.Client
	server *server.Server
	plugin *plugin
	socket string
	log    *lockedBuffer
	stop   func() error // as SIGTERM does; returns what Serve returned
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t testing.TB, p *plugin, change func(*server.Options)) *running {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	r := &running{plugin: p, socket: filepath.Join(dir, "p.sock"), log: &lockedBuffer{}}
	opts := server.Options{Plugin: p, Parallelism: 2, Timeout: time.Minute, Grace: time.Minute, Cache: 1 << 20,
		Version: "v1",
		Limits: server.Limits{Archive: 1 << 20, Waiting: 2 << 20, Trees: 4 << 20, Kept: 1 << 20,
			Tree: files.Limits{Bytes: 4 << 20, Entries: 100}},
		Log: slog.New(slog.NewJSONHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if change != nil {
		change(&opts)
	}
	r.server = server.New(opts)
	socket, err := server.Listen(r.socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- r.server.Serve(ctx, socket) }()
	r.stop = sync.OnceValue(func() error { cancel(); return <-served })
	t.Cleanup(func() { _ = r.stop() })
	r.Client = servetest.Dial(t, r.socket)
	return r
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: b\n"

func tree(extra ...string) map[string]string {
	out := map[string]string{"apps/web/c.yaml": "# two\n" + configMap + "---\n---\nnull\n---\n" + strings.ReplaceAll(configMap, "name: c", "name: d")}
	for i := 0; i < len(extra); i += 2 {
		out[extra[i]] = extra[i+1]
	}
	return out
}

// waitFor reads the metrics until they hold a line.
func (r *running) waitFor(t *testing.T, line string) {
	t.Helper()
	poll(t, "no "+line, func() bool { return strings.Contains(r.metrics(t), "\n"+line+"\n") })
}

// poll asks until the answer is yes. How long that takes decides nothing, unless it is a minute.
func poll(t *testing.T, what string, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	end := time.After(time.Minute)
	for !yes() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal(what)
		}
	}
}

func (r *running) metrics(t *testing.T) string {
	t.Helper()
	w := httptest.NewRecorder()
	r.server.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}
