package webhook

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

const canary = "canary-a11c"

func failed(t *testing.T, name string, err error, want sources.Class) {
	t.Helper()
	var f *sources.Failure
	if !errors.As(err, &f) || f.Class != want || strings.Contains(f.Error()+f.Hint(), canary) {
		t.Errorf("%s: got %v, want %s", name, err, want)
	}
}

// service answers with a value, and returns back what was asked.
func service(t *testing.T, status int, text string) (url string, asked *string) {
	t.Helper()
	asked = new(string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*asked = fmt.Sprintf("%s %s %s %s %s", r.Method, r.URL.EscapedPath(), r.Header.Get("X-Key"), r.Header.Get("Authorization"), body)
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestAValueIsAskedForAsTheStoresObjectSays(t *testing.T) {
	url, asked := service(t, 200, `{"data": [{"value": "hunter2", "x": {"y": 1}}]}`)
	o := Options{URL: url + "/get/{{ .remoteRef.key }}", Method: "POST", Headers: `{"X-Key": "{{.remoteRef.property}}"}`, Body: `{"k": "{{ .remoteRef.key }}"}`,
		JSONPath: "$.data[0].value", Values: true, HTTP: http.DefaultClient, Token: func() (string, error) { return "token", nil }}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Version(t.Context(), sources.Ref{Key: `a/../b"`})
	if err != nil || string(got.Value.Reveal()) != "hunter2" || got.Version != "" {
		t.Errorf("got %+v, %v", got, err)
	}
	if want := `POST /get/a%2F..%2Fb%22  Bearer token {"k": "a/../b\""}`; *asked != want {
		t.Errorf("asked for %s, want %s", *asked, want)
	}
	o.JSONPath = "$.data[0]"
	if s, err = New(o); err != nil {
		t.Fatal(err)
	}
	if got, err = s.Version(t.Context(), sources.Ref{Key: "a", Property: "x.y"}); err != nil ||
		string(got.Value.Reveal()) != `{"value":"hunter2","x":{"y":1}}` {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The stores are those that External Secrets' own pages give for Bitwarden.
func TestTheResultIsWhatTheJSONPathSelects(t *testing.T) {
	url, asked := service(t, 200, `{"data": {"login": {"username": "me", "password": "hunter2"}, "notes": "n", "n": 1.50,
		"fields": [{"name": "a b", "value": "1"}, {"name": "token", "value": "t"}, {"name": "both", "value": "x"}, {"name": "both", "value": "y"}]}}`)
	for _, c := range []struct{ path, property, want string }{
		{"$.data.login.{{ .remoteRef.property }}", "password", "hunter2"}, {"$.data.login.{{ .remoteRef.property }}", "none", ""},
		{`$.data.fields[?@.name=="{{ .remoteRef.property }}"].value`, "token", "t"}, {`$.data.fields[?@.name=="{{ .remoteRef.property }}"].value`, "a b", "1"},
		{`$.data.fields[?@.name=="{{ .remoteRef.property }}"].value`, "none", ""}, {`$.data.fields[?@.name=="{{ .remoteRef.property }}"].value`, "both", "x"},
		{"$.data.notes", "password", "n"}, {"$.data.login", "username", `{"password":"hunter2","username":"me"}`}, {"$.data.fields", "", `{"name":"a b","value":"1"}`},
		{"", "username", `{"data":{"fields":[{"name":"a b","value":"1"},{"name":"token","value":"t"},{"name":"both","value":"x"},{"name":"both","value":"y"}],` +
			`"login":{"password":"hunter2","username":"me"},"n":1.50,"notes":"n"}}`}, {`$["data"]["n"]`, "", "1.50"}, {"$.data.none", "username", ""},
	} {
		s, err := New(Options{URL: url + "/object/{{ .remoteRef.namespace }}", JSONPath: c.path, Values: true, HTTP: http.DefaultClient})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Version(t.Context(), sources.Ref{Store: sources.Store{Namespace: "team one"}, Key: "a", Property: c.property})
		if c.want == "" {
			failed(t, c.path, err, sources.NotFound)
			if !errors.Is(err, sources.ErrNoProperty) {
				t.Errorf("%s of %s: %v is taken for that of the whole key", c.path, c.property, err)
			}
		} else if err != nil || string(got.Value.Reveal()) != c.want {
			t.Errorf("%s of %s: got %s, %v", c.path, c.property, got.Value.Reveal(), err)
		}
	}
	if !strings.Contains(*asked, " /object/team+one ") {
		t.Errorf("asked for %s", *asked)
	}
}

func TestWhatTheServiceSaysIsNotReported(t *testing.T) {
	for status, want := range map[int]sources.Class{401: sources.NoLogin, 403: sources.NoPermit, 404: sources.NotFound,
		429: sources.Throttled, 500: sources.Unavailable} {
		url, _ := service(t, status, canary)
		s, err := New(Options{URL: url, Values: true, HTTP: http.DefaultClient})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Version(t.Context(), sources.Ref{Key: "a"})
		failed(t, fmt.Sprint(status), err, want)
	}
	url, asked := service(t, 200, canary)
	for name, c := range map[string]struct {
		o    Options
		ref  sources.Ref
		want sources.Class
	}{
		"without permission":  {Options{URL: url}, sources.Ref{Key: "a"}, sources.NoVersions},
		"a search":            {Options{URL: url, Values: true}, sources.Ref{Find: &sources.Find{}}, sources.Unsupported},
		"a template":          {Options{URL: url + "/{{ .auth.token }}", Values: true}, sources.Ref{Key: "a"}, sources.Unsupported},
		"a template of body":  {Options{URL: url, Body: "{{ range . }}", Values: true}, sources.Ref{Key: "a"}, sources.Unsupported},
		"a namespace of many": {Options{URL: url + "/{{ .remoteRef.namespace }}", Values: true}, sources.Ref{Key: "a"}, sources.Unsupported},
		"a key as host":       {Options{URL: "http://{{ .remoteRef.key }}/", Values: true}, sources.Ref{Key: "evil.example"}, sources.Refused},
		"a method":            {Options{URL: url, Method: "GET\n", Values: true}, sources.Ref{Key: "a"}, sources.Refused},
	} {
		*asked = ""
		c.o.HTTP = http.DefaultClient
		s, err := New(c.o)
		if err == nil {
			_, err = s.Version(t.Context(), c.ref)
		}
		failed(t, name, err, c.want)
		if *asked != "" {
			t.Errorf("%s: asked for %s", name, *asked)
		}
	}
	for name, c := range map[string]struct {
		path string
		want sources.Class
	}{"a path that is none": {"$.data[", sources.Unsupported}, "a path with more than .remoteRef": {"$.{{ .auth.token }}", sources.Unsupported},
		"a filter of what is no JSON": {`$.data[?@.name=="a"]`, sources.Malformed}, "a field of what is no JSON": {"$.data", sources.Malformed}} {
		s, err := New(Options{URL: url, JSONPath: c.path, Values: true, HTTP: http.DefaultClient})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Version(t.Context(), sources.Ref{Key: "a"})
		failed(t, name, err, c.want)
	}
	_, err := New(Options{URL: url, Headers: canary})
	failed(t, "headers", err, sources.Refused)
}
