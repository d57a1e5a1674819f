package server_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

func TestAnApplicationIsRenderedFromItsArchive(t *testing.T) {
	r := start(t, &plugin{}, nil)
	for _, chunk := range []int{1, 100, 1024, 1 << 20} {
		got, err := r.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web",
			Chunk: chunk})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"---\n# two\n" + strings.TrimSpace(configMap),
			"---\n" + strings.TrimSpace(strings.ReplaceAll(configMap, "name: c", "name: d"))}
		if !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: %q, want %q", chunk, got, want)
		}
	}
}

func TestEqualCallsAreAnsweredFromMemory(t *testing.T) {
	r := start(t, &plugin{}, nil)
	once := servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web",
		Env: map[string]string{"KEY": "1", "ARGOCD_APP_REVISION": "aaa"}}
	later := once
	later.Env = map[string]string{"KEY": "1", "ARGOCD_APP_REVISION": "bbb"}
	other := once
	other.Env = map[string]string{"KEY": "2"}
	beside, changed, more := once, once, once
	beside.Archive = servetest.Archive(t, tree("shared/base.yaml", "x"))
	changed.Archive = servetest.Archive(t, tree("apps/web/c.yaml", configMap))
	more.Archive = servetest.Archive(t, tree("apps/web/more.yaml", configMap))
	random := once
	random.Env = map[string]string{"ONCE": "1"}
	for i, row := range []struct {
		servetest.Upload
		state string
		runs  int
		why   string
	}{
		{once, "", 1, "the first call"},
		{once, "", 1, "the same call"},
		{later, "", 1, "a call with a variable that nothing depends on"},
		{other, "", 2, "another key"},
		{beside, "", 2, "another file beside the application"},
		{changed, "", 3, "another text in a file"},
		{more, "", 4, "another file in the folder"},
		{once, "", 4, "the first call again"},
		{changed, "", 4, "the other text again"},
		{once, "new policy", 5, "the first call when a file of the operator's has changed"},
		{random, "", 6, "a job that is like no other"},
		{random, "", 7, "the same again"},
	} {
		r.plugin.state = row.state
		if _, err := r.Manifests(t.Context(), row.Upload); err != nil {
			t.Fatal(err)
		}
		if got := r.plugin.count(); got != row.runs {
			t.Errorf("%d: after %s there were %d renders, want %d", i, row.why, got, row.runs)
		}
	}
}

func TestTwentyEqualCallsAtOnceRenderOnce(t *testing.T) {
	r := start(t, &plugin{hold: make(chan struct{}), entered: make(chan struct{}, 20)}, nil)
	u := servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web", Env: map[string]string{"ONCE": "1"}}
	answers := make([][]string, 20)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			var err error
			if answers[i], err = r.Manifests(t.Context(), u); err != nil {
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

func TestDiscoveryIsOffUnlessAskedFor(t *testing.T) {
	mine := servetest.Archive(t, map[string]string{"a/mine.yaml": "", "b/x": ""})
	for _, discover := range []bool{false, true} {
		r := start(t, &plugin{}, func(o *server.Options) { o.Discover = discover })
		check := r.Message("CheckPluginConfigurationResponse")
		if err := r.Conn.Invoke(t.Context(), "/plugin.ConfigManagementPluginService/CheckPluginConfiguration",
			r.Message("Empty"), check); err != nil {
			t.Fatal(err)
		}
		matches := []string{shown(check)}
		for _, dir := range []string{"a", "b"} {
			m, err := r.Call(t.Context(), "MatchRepository", servetest.Upload{Archive: mine, Dir: dir},
				"RepositoryResponse")
			if err != nil {
				t.Fatal(err)
			}
			matches = append(matches, shown(m))
		}
		want := []string{"{}", "{}", "{}"}
		if discover {
			want = []string{`{"isDiscoveryConfigured":true}`, `{"isSupported":true,"isDiscoveryEnabled":true}`,
				`{"isDiscoveryEnabled":true}`}
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
	m, err := r.Call(t.Context(), "GetParametersAnnouncement",
		servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web"}, "ParametersAnnouncementResponse")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"parameterAnnouncements":[{"name":"a","title":"A","tooltip":"tip","required":true,"itemType":"string","collectionType":"map","map":{"k":"v","l":""}},` +
		`{"name":"b","collectionType":"array","array":["x","","y"]},{"name":"c","collectionType":"string","string":"text"}]}`
	if got := shown(m); got != want {
		t.Errorf("announced %s\nwant %s", got, want)
	}
}

func TestATreeServesAllApplicationsOfItsRepository(t *testing.T) {
	r := start(t, &plugin{}, nil)
	packed := servetest.Archive(t, tree("apps/b/c.yaml", configMap, "apps/c/c.yaml", configMap))
	for _, dir := range []string{"apps/web", "apps/b", "apps/c"} {
		if _, err := r.Manifests(t.Context(), servetest.Upload{Archive: packed, Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	if text := r.metrics(t); !strings.Contains(text, "\nrollstamp_trees 1\n") || r.plugin.count() != 3 {
		t.Errorf("%d renders\n%s", r.plugin.count(), text)
	}
	if _, err := r.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, tree("more", "x")),
		Dir: "apps/web"}); err != nil {
		t.Fatal(err)
	}
	r.waitFor(t, "rollstamp_trees 2")
}

// What was rendered before is answered by looking for it: the archive is unpacked and compared, in a number of steps
// that grows with its files and not with what a render of them does. Client and server count together.
func TestAnAnswerFromMemoryTakesFewAllocations(t *testing.T) {
	r := start(t, &plugin{}, nil)
	u := servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web"}
	call := func() {
		if _, err := r.Manifests(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	call()
	const most = 600 // twice what it makes today
	n := testing.AllocsPerRun(50, call)
	t.Logf("%.0f allocations", n)
	if n > most || r.plugin.count() != 1 {
		t.Errorf("an answer from memory takes %.0f allocations, want at most %d; %d renders", n, most, r.plugin.count())
	}
}
