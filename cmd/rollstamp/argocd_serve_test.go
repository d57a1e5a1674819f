package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/argocd/server/servetest"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// served is a running 'rollstamp argocd serve' with a client of it.
type served struct {
	*servetest.Client
	socket string
	log    *bytes.Buffer // to be read after stop
	stop   func() diag.Exit
}

func serveFor(t testing.TB, args ...string) *served {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &served{socket: filepath.Join(dir, "rollstamp.sock"), log: &bytes.Buffer{}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var exit diag.Exit
	go func() {
		defer close(ended)
		args := append([]string{"argocd", "serve", "--plugins-dir", dir, "--log-level", "debug"}, args...)
		exit = run(ctx, args, config.Environment(), streams{in: strings.NewReader(""), out: s.log, err: s.log})
	}()
	s.stop = func() diag.Exit { cancel(); <-ended; return exit }
	t.Cleanup(func() { s.stop() })
	if !awaitSocket(s.socket, ended) {
		t.Fatalf("the server ended with %d: %s", exit, s.log)
	}
	s.Client = servetest.Dial(t, s.socket)
	return s
}

// awaitSocket waits until a server listens: it sets the mode when callers are let in, and a socket that is there before
// refuses them. It reports false where the server ends without.
func awaitSocket(path string, ended <-chan struct{}) bool {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket && info.Mode().Perm() == 0o600 {
			return true
		}
		select {
		case <-ended:
			return false
		case <-tick.C:
		}
	}
}

// servedApps are applications of each kind in one repository, with what Argo CD says of them.
var servedApps = map[string]struct {
	files map[string]string
	env   map[string]string
}{
	"chart": {map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "values.yaml": "greeting: hello\n", "prod.yaml": "greeting: good day\n",
		"templates/all.yaml": configMapWith(`{{ .Values.greeting }} from {{ .Release.Name }} in {{ .Release.Namespace }} on {{ .Capabilities.KubeVersion }}`),
	}, map[string]string{
		"ARGOCD_APP_PARAMETERS": `[{"array":["prod.yaml","/shared/$ARGOCD_APP_NAMESPACE.yaml"],"name":"valueFiles"}]`,
	}},
	"kustomization": {map[string]string{
		"kustomization.yaml": "resources: [../../base]\nnamePrefix: prod-\nconfigMapGenerator:\n- name: made\n  files: [key.txt]\n", "key.txt": "text\n",
	}, nil},
	"plain": {map[string]string{"a.yaml": configMapWith("plain"), "b.json": `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"a":"b"}}`}, nil},
	"looks things up": {map[string]string{
		".rollstamp.yaml": "context: [../chart, ../../base]\n", "a.yaml": strings.SplitN(configMapWith(""), "---\n", 2)[1],
	}, nil},
	"broken chart": {map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "templates/all.yaml": "{{ fail \"no\" }}",
	}, nil},
	"no base": {map[string]string{"kustomization.yaml": "resources: [../base]\n"}, nil},
	"empty":   {map[string]string{"readme.txt": "nothing"}, nil},
	"an unknown option": {map[string]string{"a.yaml": configMapWith("plain")}, map[string]string{
		"ARGOCD_APP_PARAMETERS": `[{"name":"valuFiles","array":["a"]}]`,
	}},
}

func configMapWith(text string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {a: %q}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: web
        envFrom:
        - configMapRef: {name: c}
`, text)
}

// repository holds all the apps, each below apps/.
func repository() map[string]string {
	all := map[string]string{"base/kustomization.yaml": "resources: [all.yaml]\n", "base/all.yaml": configMapWith("base"), "shared/shop.yaml": "greeting: good evening\n"}
	for name, app := range servedApps {
		for file, text := range app.files {
			all["apps/"+name+"/"+file] = text
		}
	}
	return all
}

func callOf(name string) map[string]string {
	env := map[string]string{
		"ARGOCD_APP_NAME": "team_web", "ARGOCD_APP_NAMESPACE": "shop", "ARGOCD_APP_PROJECT_NAME": "p", "ARGOCD_APP_REVISION": "0123456789abcdef",
		"ARGOCD_APP_SOURCE_PATH": "apps/" + name, "KUBE_VERSION": "1.33.1", "KUBE_API_VERSIONS": "v1,apps/v1",
	}
	for k, v := range servedApps[name].env {
		env[k] = v
	}
	return env
}

// TestServeAnswersWhatGeneratePrints renders each app both ways: by a process in a copy on disk, and through the
// socket.
func TestServeAnswersWhatGeneratePrints(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(rand.Text()+rand.Text()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveFor(t, "--hash-key-file", key, "--discover", "config")
	all := repository()
	root := t.TempDir()
	for name, text := range all {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	packed := servetest.Archive(t, all)
	for name := range servedApps {
		t.Run(name, func(t *testing.T) {
			u := servetest.Upload{Archive: packed, Dir: "apps/" + name, Env: callOf(name)}
			t.Chdir(filepath.Join(root, "apps", name))
			for k, v := range callOf(name) {
				t.Setenv(k, v)
			}
			var out, errs bytes.Buffer
			exit := run(t.Context(), []string{"argocd", "generate", "--hash-key-file", key}, config.Environment(), streamsOf(&out, &errs))
			want, err := server.Documents(out.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // rendered, then kept
				got, err := s.Manifests(t.Context(), u)
				if exit != diag.ExitOK {
					if said := status.Convert(err); said.Message() == "" || "rollstamp: "+said.Message()+"\n" != errs.String() {
						t.Errorf("serve says %q, generate %q", said.Message(), errs.String())
					}
					continue
				}
				if err != nil || !slices.EqualFunc(got, want, func(a string, b []byte) bool { return a == string(b) }) {
					t.Errorf("serve gives %q, %v\ngenerate %q", got, err, want)
				}
			}
			s.announcesAsParameters(t, u)
			s.matchesAsDiscover(t, u)
		})
	}
}

// announcesAsParameters compares with the command in the working folder.
func (s *served) announcesAsParameters(t *testing.T, u servetest.Upload) {
	t.Helper()
	var out, errs bytes.Buffer
	run(t.Context(), []string{"argocd", "parameters"}, config.Environment(), streamsOf(&out, &errs))
	want := s.Fill("ParametersAnnouncementResponse", `{"parameterAnnouncements":%s}`, &out)
	got, err := s.Call(t.Context(), "GetParametersAnnouncement", u, "ParametersAnnouncementResponse")
	if err != nil || !proto.Equal(got, want) || len(out.Bytes()) < 3 {
		t.Errorf("serve announces %v, %v\nparameters %v", got, err, want)
	}
}

// matchesAsDiscover does, too.
func (s *served) matchesAsDiscover(t *testing.T, u servetest.Upload) {
	t.Helper()
	var out, errs bytes.Buffer
	run(t.Context(), []string{"argocd", "discover"}, config.Environment(), streamsOf(&out, &errs))
	want := s.Fill("RepositoryResponse", `{"isSupported":%v,"isDiscoveryEnabled":true}`, out.Len() > 0)
	got, err := s.Call(t.Context(), "MatchRepository", u, "RepositoryResponse")
	if err != nil || !proto.Equal(got, want) {
		t.Errorf("serve matches %v, %v; discover %q", got, err, &out)
	}
}

// TestManyCallsAtOnceGiveTheSameBytes lets calls for all apps, each at several revisions, meet in one process.
func TestManyCallsAtOnceGiveTheSameBytes(t *testing.T) {
	s := serveFor(t, "--parallelism", "4")
	packed := servetest.Archive(t, repository())
	answers := make(chan [2]string, 20*len(servedApps))
	var all sync.WaitGroup
	for i := range 20 {
		for name := range servedApps {
			all.Go(func() {
				u := servetest.Upload{Archive: packed, Dir: "apps/" + name, Env: callOf(name)}
				u.Env["ARGOCD_ENV_NOTHING_READS_THIS"] = strconv.Itoa(i % 5)
				m, err := s.Manifests(t.Context(), u)
				answers <- [2]string{name, strings.Join(m, "\n---\n") + status.Convert(err).Message()}
			})
		}
	}
	all.Wait()
	close(answers)
	seen := map[string]string{}
	for a := range answers {
		if known, ok := seen[a[0]]; ok && known != a[1] {
			t.Errorf("%s: %q and %q", a[0], known, a[1])
		}
		seen[a[0]] = a[1]
	}
	if len(seen) != len(servedApps) {
		t.Errorf("answers for %d apps", len(seen))
	}
}

func TestServeRefusesWhatCannotWork(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken.sock")
	if err := os.WriteFile(taken, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--parallelism", "0"}, {"--timeout", "0s"}, {"--name", "../x"}, {"--name", ""}, {"--discover", "sometimes"}, {"--log-format", "xml"},
		{"--name", "taken"}, {"--plugins-dir", filepath.Join(dir, "none")}, {"--hash-key-file", filepath.Join(dir, "none")}, {"--allow", "everything"}, {"--allow", "exec-plugins"},
		{"--listen", "nowhere:port"},
	} {
		var out, errs bytes.Buffer
		args := slices.Concat([]string{"argocd", "serve", "--plugins-dir", dir}, args)
		if exit := run(t.Context(), args, config.Environment(), streamsOf(&out, &errs)); exit != diag.ExitUsage ||
			out.Len() > 0 ||
			errs.Len() == 0 {
			t.Errorf("%v: exit %d\n%s%s", args, exit, &out, &errs)
		}
	}
	if b, err := os.ReadFile(taken); string(b) != "precious" {
		t.Errorf("the file in the socket's place: %q, %v", b, err)
	}
	s := serveFor(t)
	var out, errs bytes.Buffer
	if exit := run(t.Context(), []string{"argocd", "serve", "--plugins-dir", filepath.Dir(s.socket)}, config.Environment(), streamsOf(&out, &errs)); exit != diag.ExitUsage {
		t.Errorf("a second server: exit %d, %s", exit, &errs)
	}
	if _, err := s.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, map[string]string{"a.yaml": configMapWith("x")})}); err != nil {
		t.Errorf("the first server afterwards: %v", err)
	}
	if exit := s.stop(); exit != diag.ExitOK {
		t.Errorf("it stopped with %d", exit)
	}
	if _, err := os.Lstat(s.socket); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}
