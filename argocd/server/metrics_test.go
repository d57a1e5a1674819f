package server_test

import (
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

// line is one of Prometheus's text form: a comment, or a name with labels and a number.
var line = regexp.MustCompile(`^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="(\\[\\"n]|[^\\"])*"(,[a-z]+="(\\[\\"n]|[^\\"])*")*\})? [0-9.e+-]+)$`)

func TestMetricsCountWhatTheServerDid(t *testing.T) {
	r := start(t, &plugin{}, nil)
	good := servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web",
		Env: map[string]string{"ARGOCD_APP_NAME": "web"}}
	moved := good
	moved.Env = map[string]string{"ARGOCD_APP_NAME": "other"}
	bad := servetest.Upload{Archive: servetest.Archive(t, map[string]string{"a.yaml": "a: [\n"})}
	for _, u := range []servetest.Upload{good, good, moved, bad} {
		_, _ = r.Manifests(t.Context(), u)
	}
	text := r.metrics(t)
	for _, want := range []string{
		`rollstamp_answers_total{how="rendered"} 1`, `rollstamp_answers_total{how="same-archive"} 1`, `rollstamp_answers_total{how="same-inputs"} 1`,
		`rollstamp_answers_total{how="failed"} 1`,
		`rollstamp_calls_seconds_count{call="GenerateManifest",code="OK"} 3`, `rollstamp_calls_seconds_count{call="GenerateManifest",code="InvalidArgument"} 1`,
		`rollstamp_renders_seconds_count{kind="plain",result="ok"} 1`, `rollstamp_renders_seconds_count{kind="",result="input"} 1`,
		`rollstamp_stamped_workloads_total 1`, `rollstamp_manifests_total 2`, `rollstamp_cache_entries 1`, `rollstamp_running 0`, `rollstamp_queue 0`,
		`rollstamp_build_info{version="v1"} 1`,
		`rollstamp_received_bytes_total ` + strconv.Itoa(3*len(good.Archive)+len(bad.Archive)),
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for one := range strings.Lines(text) {
		if !line.MatchString(strings.TrimSuffix(one, "\n")) {
			t.Errorf("not in Prometheus's form: %q", one)
		}
	}
}

func TestBucketsOfDurationsAddUp(t *testing.T) {
	r := start(t, &plugin{}, nil)
	for range 3 {
		if _, err := r.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, tree()),
			Dir: "apps/web"}); err != nil {
			t.Fatal(err)
		}
	}
	bucket := regexp.MustCompile(`rollstamp_calls_seconds_bucket\{call="GenerateManifest",code="OK",le="([^"]+)"\} (\d+)`)
	last, ends := -1, 0
	for _, m := range bucket.FindAllStringSubmatch(r.metrics(t), -1) {
		n, _ := strconv.Atoi(m[2])
		if n < last {
			t.Errorf("up to %s there are %d, after %d", m[1], n, last)
		}
		last, ends = n, ends+1
	}
	if last != 3 || ends != 16 {
		t.Errorf("%d buckets, the last with %d", ends, last)
	}
}

func TestHealthIsServedOverHTTP(t *testing.T) {
	r := start(t, &plugin{}, nil)
	for path, want := range map[string]int{"/healthz": 200, "/metrics": 200, "/": 404} {
		w := httptest.NewRecorder()
		r.server.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != want {
			t.Errorf("%s answers %d", path, w.Code)
		}
	}
}
