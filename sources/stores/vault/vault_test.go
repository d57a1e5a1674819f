package vault

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

const canary = "canary-d05a"

// start runs a server that says what the handler says; e2e/vault holds the client to a real one.
func start(t *testing.T, o Options, handler http.HandlerFunc) (*Store, *[]string) {
	t.Helper()
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		if r.Header.Get("X-Vault-Token") != "token" && !strings.HasPrefix(r.URL.Path, "/v1/auth/") {
			t.Errorf("asked for %s with token %q", r.URL.Path, r.Header.Get("X-Vault-Token"))
		}
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	o.Address, o.HTTP = s.URL, s.Client()
	if o.Login.Token == nil {
		o.Login.Token = func() (string, error) { return "token", nil }
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, &asked
}

func answer(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

func refuse(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"errors": ["%s"]}`, canary)
	}
}

func failed(t *testing.T, name string, err error, want sources.Class) {
	t.Helper()
	var f *sources.Failure
	if !errors.As(err, &f) || f.Class != want || strings.Contains(f.Error()+f.Hint(), canary) {
		t.Errorf("%s: got %v, want %s", name, err, want)
	}
}

func TestAnswersThatAreNoneBecomeErrorsOfTheirClass(t *testing.T) {
	t.Setenv("VAULT_TOKEN", "of the environment") // which must not be sent
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    sources.Class
	}{
		"no token":           {refuse(401), sources.NoLogin},
		"not allowed":        {refuse(403), sources.NoPermit},
		"absent":             {refuse(404), sources.NotFound},
		"a standby":          {refuse(429), sources.Throttled},
		"sealed":             {refuse(503), sources.Unavailable},
		"broken":             {refuse(500), sources.Unavailable},
		"refused":            {refuse(400), sources.Refused},
		"no JSON":            {answer("<html>" + canary), sources.Malformed},
		"a value as version": {answer(`{"data": {"current_version": "` + canary + `", "versions": {}}}`), sources.Malformed},
		"no version said":    {answer(`{"data": {"current_version": 3, "versions": {"2": {}}}}`), sources.Malformed},
		"no version":         {answer(`{"data": {"current_version": 0, "versions": {}}}`), sources.NotFound},
		"no data":            {answer(`{}`), sources.NotFound},
		"deleted":            {answer(`{"data": {"current_version": 1, "versions": {"1": {"created_time": "2026-01-01T00:00:00Z", "deletion_time": "2026-01-02T00:00:00Z", "destroyed": false}}}}`), sources.Deleted},
		"destroyed":          {answer(`{"data": {"current_version": 1, "versions": {"1": {"created_time": "2026-01-01T00:00:00Z", "deletion_time": "", "destroyed": true}}}}`), sources.Deleted},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			fmt.Fprint(w, `{"data"`)
			panic(http.ErrAbortHandler)
		}, sources.Unavailable},
	} {
		s, asked := start(t, Options{}, c.handler)
		_, err := s.Version(t.Context(), sources.Ref{Key: "secret/a"})
		failed(t, name, err, c.want)
		if len(*asked) != 1 {
			t.Errorf("%s: asked for %v; asking again is the resolver's", name, *asked)
		}
	}
}

func TestAVersionThatIsToBeDeletedLaterIsThere(t *testing.T) {
	s, _ := start(t, Options{}, answer(`{"data": {"current_version": 2, "versions": {"2": {"created_time": "2026-01-01T00:00:00Z", "deletion_time": "2999-01-02T00:00:00Z", "destroyed": false}}}}`))
	if got, err := s.Version(t.Context(), sources.Ref{Key: "secret/a"}); err != nil || got.Version != "2" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestARedirectionIsNotFollowedWithTheToken(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308} {
		s, _ := start(t, Options{}, http.RedirectHandler(other.URL+"/v1/secret/metadata/a", status).ServeHTTP)
		_, err := s.Version(t.Context(), sources.Ref{Key: "secret/a"})
		failed(t, fmt.Sprint(status), err, sources.Redirected)
		if reached {
			t.Errorf("%d: followed", status)
		}
	}
}

func TestALoginHappensOnceAndItsTokenIsUsed(t *testing.T) {
	metadata := answer(`{"data": {"current_version": 1, "versions": {"1": {"created_time": "2026-01-01T00:00:00Z", "deletion_time": "", "destroyed": false}}}}`)
	login := Login{Token: func() (string, error) { return "jwt", nil }, Path: "auth/kubernetes/login", Field: "jwt", With: map[string]string{"role": "render"}}
	s, asked := start(t, Options{Login: login}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/auth/kubernetes/login" {
			fmt.Fprint(w, `{"auth": {"client_token": "token"}}`)
			return
		}
		metadata(w, r)
	})
	for _, key := range []string{"secret/a", "secret/b"} {
		if _, err := s.Version(t.Context(), sources.Ref{Key: key}); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(*asked, ", "); got != "PUT /v1/auth/kubernetes/login, GET /v1/secret/metadata/a, GET /v1/secret/metadata/b" {
		t.Errorf("asked for %s", got)
	}
	for status, want := range map[int]sources.Class{400: sources.NoLogin, 403: sources.NoLogin, 503: sources.Unavailable} {
		s, _ := start(t, Options{Login: login}, refuse(status))
		_, err := s.Version(t.Context(), sources.Ref{Key: "secret/a"})
		failed(t, fmt.Sprint(status), err, want)
	}
}

func TestAKeyIsFoundInItsMountAsExternalSecretsDoes(t *testing.T) {
	for _, c := range []struct{ mount, version, key, mountWant, keyWant string }{
		{"", "v2", "secret/a/b", "secret", "a/b"}, {"", "v2", "secret/data/a", "secret", "a"}, {"", "v1", "secret/data/a", "secret", "data/a"},
		{"", "v2", "team/kv/data/a/data/b", "team/kv", "a/data/b"}, {"", "v1", "team/kv/data/a", "team", "kv/data/a"}, {"", "v2", "secret/data", "secret", "data"},
		{"secret", "v2", "a/b", "secret", "a/b"}, {"secret", "v2", "secret/a", "secret", "a"}, {"secret", "v2", "secret/data/a", "secret", "a"},
		{"secret", "v2", "data/a", "secret", "data/a"}, {"team/kv", "v2", "a", "team/kv", "a"}, {"/team/kv/", "v2", "/a/", "team/kv", "a"},
		{"", "v2", "secret", "", ""}, {"", "v2", "", "", ""}, {"", "v2", "secret/../x", "", ""}, {"secret", "v2", "a//b", "", ""}, {"secret", "v2", `a\b`, "", ""},
		{"secret", "v2", "a\nb", "", ""},
	} {
		s, err := New(Options{Address: "http://vault.invalid", Mount: c.mount, Version: c.version, HTTP: http.DefaultClient})
		if err != nil {
			t.Fatal(err)
		}
		mount, key, err := s.split(c.key)
		if mount != c.mountWant || key != c.keyWant || (err == nil) != (c.keyWant != "") {
			t.Errorf("%q in %q: got %q, %q, %v", c.key, c.mount, mount, key, err)
		}
	}
	for _, o := range []Options{{Version: "v3"}, {Mount: "../sys"}, {Address: "http://[::1"}} {
		o.HTTP = http.DefaultClient
		if _, err := New(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

func TestASearchFindsItsFolderAsExternalSecretsDoes(t *testing.T) {
	listing := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/team/kv/metadata/apps", "/v1/team/kv/metadata":
			fmt.Fprint(w, `{"data": {"keys": ["a"]}}`)
		case "/v1/team/kv/metadata/apps/a", "/v1/team/kv/metadata/a":
			fmt.Fprint(w, `{"data": {"current_version": 4, "versions": {"4": {"created_time": "2026-01-01T00:00:00Z", "deletion_time": "", "destroyed": false}}}}`)
		default:
			refuse(404)(w, r)
		}
	}
	for _, c := range []struct{ mount, path, name, want string }{
		{"team/kv", "apps", "^apps/a$", "apps/a"},
		{"team/kv", "", "^a$", "a"},
		// Where the store names no mount, the path says it, in the form of the API, and keys are called by that.
		{"", "team/kv/data/apps", "^team/kv/data/apps/a$", "apps/a"},
		{"", "team/kv/data/apps", "^apps/a$", ""},
		{"", "team/kv/data", "a$", "a"},
	} {
		s, asked := start(t, Options{Mount: c.mount}, listing)
		var want []sources.Item
		if c.want != "" {
			want = append(want, sources.Item{Name: c.want, Version: "4"})
		}
		got, err := s.Version(t.Context(), sources.Ref{Find: &sources.Find{Path: c.path, Name: c.name}})
		if err != nil || got.Version != sources.SetVersion(want) {
			t.Errorf("%q in %q: got %+v, %v; asked for %v", c.path, c.mount, got, err, *asked)
		}
	}
}
