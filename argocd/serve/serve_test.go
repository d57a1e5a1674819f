package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/argocd/serve"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
	"github.com/rollstamp/rollstamp/stamp"
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

func (p *plugin) Prepare(_ context.Context, c serve.Call) (serve.Job, error) { return &work{p, c}, nil }

func (p *plugin) Match(_ context.Context, c serve.Call) (bool, error) {
	_, err := c.Tree.Stat(filepath.Join(c.Dir, "mine.yaml"))
	return err == nil, nil
}

func (p *plugin) Announce(context.Context, serve.Call) ([]announce.Parameter, []diag.Finding, error) {
	return []announce.Parameter{
		{Name: "a", Title: "A", Tooltip: "tip", Required: true, ItemType: "string", CollectionType: "map", Map: map[string]string{"k": "v", "l": ""}},
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
	call serve.Call
}

func (w *work) Key() []byte {
	if w.call.Env["ONCE"] != "" {
		return nil
	}
	return []byte("key " + w.call.Env["KEY"])
}

func (w *work) Run(ctx context.Context) (*serve.Answer, error) {
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
	app := pipeline.App{As: render.KindPlain, Request: render.Request{Path: w.call.Dir, Files: w.call.Tree}, Stamp: &stamp.Options{}}
	result, err := pipeline.Run(ctx, pipeline.Engines{render.KindPlain: plain.Engine{}}, app)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if _, err := result.WriteTo(&text); err != nil {
		return nil, err
	}
	documents, err := serve.Documents(text.Bytes())
	return &serve.Answer{Kind: "plain", Documents: documents, Findings: result.Findings(), Stamped: 1, Reusable: true}, err
}

// running is a server with a client of it.
type running struct {
	*client
	server *serve.Server
	plugin *plugin
	socket string
	log    *lockedBuffer
	stop   func() error // as SIGTERM does; gives what Serve returned
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

func start(t testing.TB, p *plugin, change func(*serve.Options)) *running {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	r := &running{plugin: p, socket: filepath.Join(dir, "p.sock"), log: &lockedBuffer{}}
	opts := serve.Options{Plugin: p, Parallelism: 2, Timeout: time.Minute, Grace: time.Minute, Cache: 1 << 20, Version: "v1",
		Limits: serve.Limits{Archive: 1 << 20, Waiting: 2 << 20, Tree: files.Limits{Bytes: 4 << 20, Entries: 100}},
		Log:    slog.New(slog.NewJSONHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if change != nil {
		change(&opts)
	}
	r.server = serve.New(opts)
	socket, err := serve.Listen(r.socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- r.server.Serve(ctx, socket) }()
	r.stop = sync.OnceValue(func() error { cancel(); return <-served })
	t.Cleanup(func() { _ = r.stop() })
	r.client = dial(t, r.socket)
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

func TestAnApplicationIsRenderedFromItsArchive(t *testing.T) {
	r := start(t, &plugin{}, nil)
	for _, chunk := range []int{1, 100, 1024, 1 << 20} {
		got, err := r.manifests(t.Context(), upload{archive: archive(t, tree()), dir: "apps/web", chunk: chunk})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"---\n# two\n" + strings.TrimSpace(configMap), "---\n" + strings.TrimSpace(strings.ReplaceAll(configMap, "name: c", "name: d"))}
		if !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: %q, want %q", chunk, got, want)
		}
	}
}

func TestEqualCallsAreAnsweredFromMemory(t *testing.T) {
	r := start(t, &plugin{}, nil)
	once := upload{archive: archive(t, tree()), dir: "apps/web", env: map[string]string{"KEY": "1", "ARGOCD_APP_REVISION": "aaa"}}
	later := once
	later.env = map[string]string{"KEY": "1", "ARGOCD_APP_REVISION": "bbb"}
	other := once
	other.env = map[string]string{"KEY": "2"}
	changed := once
	changed.archive = archive(t, tree("shared/base.yaml", "x"))
	random := once
	random.env = map[string]string{"ONCE": "1"}
	for i, row := range []struct {
		upload
		state string
		runs  int
		why   string
	}{
		{once, "", 1, "the first call"},
		{once, "", 1, "the same call"},
		{later, "", 1, "a call with a variable that nothing depends on"},
		{other, "", 2, "another key"},
		{changed, "", 3, "another file beside the application"},
		{once, "", 3, "the first call again"},
		{once, "new policy", 4, "the first call when a file of the operator's has changed"},
		{random, "", 5, "a job that is like no other"},
		{random, "", 6, "the same again"},
	} {
		r.plugin.state = row.state
		if _, err := r.manifests(t.Context(), row.upload); err != nil {
			t.Fatal(err)
		}
		if got := r.plugin.count(); got != row.runs {
			t.Errorf("%d: after %s there were %d renders, want %d", i, row.why, got, row.runs)
		}
	}
}

func TestTwentyEqualCallsAtOnceRenderOnce(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 20)}, nil)
	u := upload{archive: archive(t, tree()), dir: "apps/web", env: map[string]string{"ONCE": "1"}}
	answers := make([][]string, 20)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			var err error
			if answers[i], err = r.manifests(t.Context(), u); err != nil {
				t.Error(err)
			}
		})
	}
	<-r.plugin.entered
	r.waitFor(t, "rollstamp_joined 19")
	close(r.plugin.hold)
	all.Wait()
	if r.plugin.count() != 1 {
		t.Errorf("%d renders", r.plugin.count())
	}
	for _, a := range answers {
		if !slices.Equal(a, answers[0]) || len(a) == 0 {
			t.Errorf("answers differ: %q and %q", a, answers[0])
		}
	}
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

func TestBadStreamsAreRefused(t *testing.T) {
	good := archive(t, tree())
	rows := map[string]struct {
		upload
		code codes.Code
		text string
	}{
		"a wrong checksum":       {upload{archive: good, checksum: strings.Repeat("0", 64)}, codes.InvalidArgument, "checksum"},
		"more than announced":    {upload{archive: good, size: 10}, codes.InvalidArgument, "more of it"},
		"a negative size":        {upload{archive: good, size: -1}, codes.ResourceExhausted, "too large"},
		"too large an archive":   {upload{archive: good, size: 2 << 20}, codes.ResourceExhausted, "too large"},
		"a path out":             {upload{archive: good, dir: "../x"}, codes.InvalidArgument, "leads out"},
		"an absolute path":       {upload{archive: good, dir: "/apps"}, codes.InvalidArgument, "leads out"},
		"a folder that is not":   {upload{archive: good, dir: "apps/none"}, codes.InvalidArgument, `"apps/none"`},
		"no gzip":                {upload{archive: []byte("plain text")}, codes.InvalidArgument, "gzip"},
		"a torn archive":         {upload{archive: good[:len(good)/2]}, codes.InvalidArgument, "unexpected EOF"},
		"a bomb":                 {upload{archive: archive(t, map[string]string{"zeros": strings.Repeat("0", 5<<20)})}, codes.ResourceExhausted, "too large"},
		"manifests with a fault": {upload{archive: archive(t, map[string]string{"a/b.yaml": "a: [\n"}), dir: "a"}, codes.InvalidArgument, "a/b.yaml"},
	}
	r := start(t, &plugin{}, nil)
	for name, row := range rows {
		_, err := r.manifests(t.Context(), row.upload)
		got := status.Convert(err)
		if got.Code() != row.code || !strings.Contains(got.Message(), row.text) || strings.Contains(got.Message(), serve.Root) {
			t.Errorf("%s: %v %q, want %v with %q", name, got.Code(), got.Message(), row.code, row.text)
		}
	}
	if _, err := r.manifests(t.Context(), upload{archive: good, dir: "apps/web"}); err != nil {
		t.Errorf("a good call afterwards: %v", err)
	}
}

func TestNoiseInPlaceOfMessagesIsRefused(t *testing.T) {
	r := start(t, &plugin{}, nil)
	file := r.piece([]byte("x"))
	for name, send := range map[string]func(*client) error{
		"an archive without metadata": func(c *client) error {
			s, err := c.open(t.Context(), "GenerateManifest")
			if err != nil {
				return err
			}
			_ = s.SendMsg(file)
			return s.RecvMsg(c.message("ManifestResponse"))
		},
		"nothing at all": func(c *client) error {
			s, err := c.open(t.Context(), "GenerateManifest")
			if err != nil {
				return err
			}
			_ = s.CloseSend()
			return s.RecvMsg(c.message("ManifestResponse"))
		},
		"a message of another kind": func(c *client) error {
			s, err := c.open(t.Context(), "GenerateManifest")
			if err != nil {
				return err
			}
			_ = s.SendMsg(c.fill("ManifestResponse", `{"manifests":["not a message of ours, \u0001"]}`))
			return s.RecvMsg(c.message("ManifestResponse"))
		},
	} {
		if err := send(r.client); status.Code(err) == codes.OK || status.Code(err) == codes.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDiscoveryIsOffUnlessAskedFor(t *testing.T) {
	mine := archive(t, map[string]string{"a/mine.yaml": "", "b/x": ""})
	for _, discover := range []bool{false, true} {
		r := start(t, &plugin{}, func(o *serve.Options) { o.Discover = discover })
		check := r.message("CheckPluginConfigurationResponse")
		if err := r.conn.Invoke(t.Context(), "/plugin.ConfigManagementPluginService/CheckPluginConfiguration", r.message("Empty"), check); err != nil {
			t.Fatal(err)
		}
		matches := []string{shown(check)}
		for _, dir := range []string{"a", "b"} {
			m, err := r.call(t.Context(), "MatchRepository", upload{archive: mine, dir: dir}, "RepositoryResponse")
			if err != nil {
				t.Fatal(err)
			}
			matches = append(matches, shown(m))
		}
		want := []string{"{}", "{}", "{}"}
		if discover {
			want = []string{`{"isDiscoveryConfigured":true}`, `{"isSupported":true,"isDiscoveryEnabled":true}`, `{"isDiscoveryEnabled":true}`}
		}
		if !slices.Equal(matches, want) {
			t.Errorf("discover %v: %q, want %q", discover, matches, want)
		}
	}
}

func shown(m interface{ ProtoReflect() protoreflect.Message }) string {
	b, err := protojson.Marshal(m)
	if err != nil {
		return err.Error()
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, b)
	return compact.String()
}

func TestParametersAreAnnouncedInFull(t *testing.T) {
	r := start(t, &plugin{}, nil)
	m, err := r.call(t.Context(), "GetParametersAnnouncement", upload{archive: archive(t, tree()), dir: "apps/web"}, "ParametersAnnouncementResponse")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"parameterAnnouncements":[{"name":"a","title":"A","tooltip":"tip","required":true,"itemType":"string","collectionType":"map","map":{"k":"v","l":""}},` +
		`{"name":"b","collectionType":"array","array":["x","","y"]},{"name":"c","collectionType":"string","string":"text"}]}`
	if got := shown(m); got != want {
		t.Errorf("announced %s\nwant %s", got, want)
	}
}

func TestAClientsDeadlineEndsACallWithOurWords(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 2)}, func(o *serve.Options) { o.Timeout = 200 * time.Millisecond })
	_, err := r.manifests(t.Context(), upload{archive: archive(t, tree()), dir: "apps/web"})
	if s := status.Convert(err); s.Code() != codes.DeadlineExceeded || s.Message() != "not finished after 200ms" {
		t.Errorf("our limit: %v %q", s.Code(), s.Message())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	_, err = r.manifests(ctx, upload{archive: archive(t, tree()), dir: "apps/web"})
	if s := status.Convert(err); s.Code() != codes.DeadlineExceeded || !strings.HasPrefix(s.Message(), "not finished after ") {
		t.Errorf("the client's: %v %q", s.Code(), s.Message())
	}
}

func TestARenderThatNobodyWaitsForIsCancelled(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 2)}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.manifests(ctx, upload{archive: archive(t, tree()), dir: "apps/web"})
		ended <- err
	}()
	<-r.plugin.entered
	cancel()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("the client got %v", err)
	}
	r.waitFor(t, "rollstamp_running 0") // the render came back though nobody let it go on
}

func TestRendersWithoutEndMakeTheServerUnhealthy(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 2), stubborn: true}, func(o *serve.Options) { o.Grace = 0 })
	healthy := func() healthpb.HealthCheckResponse_ServingStatus {
		answer, err := healthpb.NewHealthClient(r.conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
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
		_, _ = r.manifests(ctx, upload{archive: archive(t, tree("n", strings.Repeat("x", i))), dir: "apps/web"})
	}
	r.waitFor(t, "rollstamp_stuck 2")
	if healthy() != healthpb.HealthCheckResponse_NOT_SERVING || r.server.Healthy() == nil {
		t.Error("healthy although each slot is taken for ever")
	}
	close(r.plugin.hold)
	r.waitFor(t, "rollstamp_stuck 0")
	if r.server.Healthy() != nil {
		t.Error("unhealthy although the renders ended")
	}
}

func TestAStopLetsRunningCallsFinish(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 2)}, nil)
	ended := make(chan error, 1)
	go func() {
		_, err := r.manifests(t.Context(), upload{archive: archive(t, tree()), dir: "apps/web"})
		ended <- err
	}()
	<-r.plugin.entered
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	poll(t, "the socket is still there", func() bool {
		_, err := os.Lstat(r.socket)
		return errors.Is(err, os.ErrNotExist)
	})
	late := dial(t, r.socket)
	if _, err := late.manifests(t.Context(), upload{archive: archive(t, tree())}); status.Code(err) != codes.Unavailable {
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

func TestNoAnswerIsLargerThanArgoCDTakes(t *testing.T) {
	r := start(t, &plugin{}, func(o *serve.Options) {
		o.Limits.Tree.Bytes = 256 << 20
		o.Plugin = &large{}
	})
	_, err := r.manifests(t.Context(), upload{archive: archive(t, tree()), dir: "apps/web"})
	if s := status.Convert(err); s.Code() != codes.ResourceExhausted || !strings.Contains(s.Message(), "more than the 104857600 that Argo CD takes") {
		t.Errorf("%v %q", s.Code(), s.Message())
	}
}

// large answers with more than may be sent.
type large struct{ plugin }

func (l *large) Prepare(context.Context, serve.Call) (serve.Job, error) { return l, nil }
func (*large) Key() []byte                                              { return nil }
func (*large) Run(context.Context) (*serve.Answer, error) {
	return &serve.Answer{Documents: [][]byte{make([]byte, 60<<20), make([]byte, 60<<20)}}, nil
}

// failing fails with what its call's variables say.
type failing struct{ plugin }

func (f *failing) Prepare(_ context.Context, c serve.Call) (serve.Job, error) {
	hint := c.Env["HINT"]
	one := diag.Input(diag.Position{File: serve.Root + "/apps/web/values.yaml", Line: 3}, errors.New(c.Env["TEXT"]), hint)
	return nil, errors.Join(one, diag.Source(errors.New("the store does not answer"), ""))
}

func TestErrorsAreWrittenForTheUI(t *testing.T) {
	r := start(t, &plugin{}, func(o *serve.Options) { o.Plugin = &failing{} })
	_, err := r.manifests(t.Context(), upload{archive: archive(t, tree()), env: map[string]string{"TEXT": "no such key", "HINT": "Add it."}})
	s := status.Convert(err)
	const want = "apps/web/values.yaml:3: no such key\nhint: Add it.\nthe store does not answer"
	if s.Message() != want || s.Code() != codes.Unavailable {
		t.Errorf("%v %q, want %q", s.Code(), s.Message(), want)
	}
	_, err = r.manifests(t.Context(), upload{archive: archive(t, tree()), env: map[string]string{"TEXT": strings.Repeat("é", 5000)}})
	if s := status.Convert(err); len(s.Message()) > 2048 || !strings.HasSuffix(s.Message(), "é ...") {
		t.Errorf("a long text has %d bytes: ...%q", len(s.Message()), s.Message()[len(s.Message())-20:])
	}
}
