package kubernetes

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

const canary = "canary-e6f4"

// cluster answers for Secrets as an API server does: whoever asks for more than metadata gets the value, and the test
// fails.
func cluster(t *testing.T, secrets map[string]string, status int) (url, caFile string) {
	t.Helper()
	meta := func(name string) map[string]any {
		return map[string]any{"name": name, "namespace": "remote", "uid": "u-" + name, "resourceVersion": secrets[name], "labels": map[string]string{"app": name}}
	}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accept := r.Header.Get("Accept")
		if n := strings.Count(accept, "as=PartialObjectMetadata"); n == 0 || n != strings.Count(accept, ",")+1 || r.Header.Get("Authorization") != "Bearer token" {
			t.Errorf("asked for %s as %s", r.URL, r.Header.Get("Accept"))
		}
		w.Header().Set("Content-Type", "application/json")
		refuse := func(code int) {
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"message":"%s","reason":"%s"}`, code, canary, canary)
		}
		name, one := strings.CutPrefix(r.URL.Path, "/api/v1/namespaces/remote/secrets/")
		switch {
		case status != 0:
			refuse(status)
		case one && secrets[name] == "":
			refuse(http.StatusNotFound)
		case one:
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": meta(name)})
		case r.URL.Path == "/api/v1/namespaces/remote/secrets":
			var items []any
			for name := range secrets {
				if selector := r.URL.Query().Get("labelSelector"); selector == "" || selector == "app="+name {
					items = append(items, map[string]any{"metadata": meta(name)})
				}
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{}, "items": items})
		default:
			t.Errorf("asked for %s", r.URL)
		}
	}))
	t.Cleanup(s.Close)
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, caFile
}

func store(t *testing.T, url, caFile string) *Store {
	t.Helper()
	s, err := New(Options{Server: url, CAFile: caFile, Token: "token", Namespace: "remote", Wrap: func(next http.RoundTripper) http.RoundTripper { return next }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func failed(t *testing.T, err error, want sources.Class) {
	t.Helper()
	var f *sources.Failure
	if !errors.As(err, &f) || f.Class != want || strings.Contains(f.Error()+f.Hint(), canary) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTheVersionIsThatOfTheMetadata(t *testing.T) {
	url, ca := cluster(t, map[string]string{"db": "12", "web": "5"}, 0)
	if got, err := store(t, url, ca).Version(t.Context(), sources.Ref{Key: "db"}); err != nil || got.Version != "u-db/12" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err := store(t, url, ca).Version(t.Context(), sources.Ref{Key: "none"})
	failed(t, err, sources.NotFound)
	if got, err := store(t, url, ca).Version(t.Context(), sources.Ref{Key: "db", Version: "1"}); err != nil || got.Version != "u-db/12" {
		t.Errorf("got %+v, %v", got, err)
	}
	all := []sources.Item{{Name: "db", Version: "u-db/12"}, {Name: "web", Version: "u-web/5"}}
	for _, f := range []struct {
		find sources.Find
		want []sources.Item
	}{{sources.Find{}, all}, {sources.Find{Name: "^d"}, all[:1]}, {sources.Find{Tags: map[string]string{"app": "web"}}, all[1:]},
		{sources.Find{Tags: map[string]string{"app": "web"}, Name: "^d"}, all[1:]}, {sources.Find{Name: "^d", Path: "x"}, all[:1]}} {
		got, err := store(t, url, ca).Version(t.Context(), sources.Ref{Find: &f.find})
		if err != nil || got.Version != sources.SetVersion(f.want) {
			t.Errorf("%+v: got %+v, %v", f.find, got, err)
		}
	}
	for status, want := range map[int]sources.Class{401: sources.NoLogin, 403: sources.NoPermit,
		503: sources.Unavailable} {
		url, ca := cluster(t, nil, status)
		_, err := store(t, url, ca).Version(t.Context(), sources.Ref{Key: "db"})
		failed(t, err, want)
	}
}

func TestAKubeconfigSaysWhichClusterAndWhoWeAre(t *testing.T) {
	url, ca := cluster(t, map[string]string{"db": "12"}, 0)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: other
clusters: [{name: c, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: u, user: {token: token}}]
contexts: [{name: c, context: {cluster: c, user: u}}, {name: other, context: {cluster: none, user: u}}]
`, url, ca)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Kubeconfig: path, Context: "c", Namespace: "remote"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Version(t.Context(), sources.Ref{Key: "db"}); err != nil || got.Version != "u-db/12" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = New(Options{Kubeconfig: path, Context: "none"})
	failed(t, err, sources.NoIdentity)
	_, err = New(Options{Kubeconfig: path + ".none"})
	failed(t, err, sources.NoIdentity)
	_, err = New(Options{Kubeconfig: path, Context: "c", Server: "https://evil.example"})
	failed(t, err, sources.Unlisted)
}
