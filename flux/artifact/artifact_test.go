package artifact_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/artifact"
	"github.com/rollstamp/rollstamp/internal/login"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/splice"
)

var (
	files = []artifact.File{
		{Path: "apps/web/manifests.yaml", Text: []byte("kind: A\n")}, {Path: "apps/db/manifests.yaml", Text: []byte("kind: B\n")},
	}
	from = artifact.Origin{Source: "https://git.example.org/shop", Revision: "main@sha1:0123"}
)

func made(t *testing.T, files []artifact.File, from artifact.Origin) *artifact.Artifact {
	t.Helper()
	a, err := artifact.New(files, from)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestOneContentHasOneDigest(t *testing.T) {
	a := made(t, files, from)
	other := made(t, []artifact.File{files[1], files[0]}, from)
	if a.Digest() != other.Digest() {
		t.Errorf("the order of the files counts: %s and %s", a.Digest(), other.Digest())
	}
	if a.Digest() != pinned {
		t.Errorf("the digest is %s; where the compression of another Go changed it, pin the new one", a.Digest())
	}
	if made(t, files[:1], from).Digest() == a.Digest() || made(t, files, artifact.Origin{}).Digest() == a.Digest() {
		t.Error("other content has the same digest")
	}
}

// pinned is the digest of files from there, wherever and whenever it is made.
const pinned = "sha256:3ab25b27cbf9d2f81a62e09dbda1cf1d9852416367fbf416ae22d01a6e28bda6"

// host is a registry in this process that counts what is written, in front of which a test may stand.
type host struct {
	*httptest.Server
	written atomic.Int32
	front   func(w http.ResponseWriter, r *http.Request) (answered bool)
}

func serve(t *testing.T) *host {
	h := &host{}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.front != nil && h.front(w, r) {
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.written.Add(1)
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *host) push(t *testing.T, a *artifact.Artifact, tags ...string) (artifact.Pushed, error) {
	t.Helper()
	return h.pushAs(t, artifact.Credentials{}, config.Permissions{}, a, tags...)
}

func (h *host) pushAs(
	t *testing.T, c artifact.Credentials, p config.Permissions, a *artifact.Artifact, tags ...string,
) (artifact.Pushed, error) {
	t.Helper()
	r, err := artifact.Parse("oci://" + h.Listener.Addr().String() + "/shop/apps")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Connect(c, p); err != nil {
		t.Fatal(err)
	}
	return r.Push(t.Context(), a, tags)
}

// get returns what the registry has at a path of the repository.
func (h *host) get(t *testing.T, path string) io.Reader {
	t.Helper()
	res, err := http.Get(h.URL + "/v2/shop/apps/" + path)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v, %v", path, res, err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res.Body
}

func TestWhatIsPublishedIsWhatFluxReads(t *testing.T) {
	h := serve(t)
	done, err := h.push(t, made(t, files, from), "latest", "v1")
	if err != nil || done.Digest != pinned || done.Blobs != 2 || len(done.Tags) != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	var m ocispec.Manifest
	if err := json.NewDecoder(h.get(t, "manifests/v1")).Decode(&m); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"org.opencontainers.image.created": "1970-01-01T00:00:00Z",
		"org.opencontainers.image.source": from.Source, "org.opencontainers.image.revision": from.Revision}
	for key, value := range want {
		if m.Annotations[key] != value {
			t.Errorf("%s is %q", key, m.Annotations[key])
		}
	}
	if m.MediaType != "application/vnd.oci.image.manifest.v1+json" || m.SchemaVersion != 2 ||
		m.Config.MediaType != "application/vnd.cncf.flux.config.v1+json" || len(m.Layers) != 1 ||
		m.Layers[0].MediaType != "application/vnd.cncf.flux.content.v1.tar+gzip" {
		t.Errorf("the manifest is %+v", m)
	}
	text, err := gzip.NewReader(h.get(t, "blobs/"+m.Layers[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(text); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if names = append(names, head.Name); head.Mode != 0o644 || head.Uid+head.Gid != 0 || head.ModTime.Unix() != 0 ||
			head.Uname+head.Gname != "" {
			t.Errorf("%+v comes from this machine", head)
		}
	}
	if strings.Join(names, " ") != "apps/db/manifests.yaml apps/web/manifests.yaml" {
		t.Errorf("it holds %v", names)
	}
}

func TestWhatIsThereIsNotPublishedAgain(t *testing.T) {
	h := serve(t)
	first, err := h.push(t, made(t, files, from), "latest")
	if err != nil {
		t.Fatal(err)
	}
	before := h.written.Load()
	later := artifact.Origin{Source: from.Source, Revision: "main@sha1:4567"}
	done, err := h.push(t, made(t, files, later), "latest")
	if err != nil || len(done.Tags) > 0 || done.Blobs > 0 || done.Digest != first.Digest || h.written.Load() != before {
		t.Errorf("of another revision: %+v, %v, %d requests that write", done, err, h.written.Load()-before)
	}
	done, err = h.push(t, made(t, files, from), "latest", "v2")
	if err != nil || strings.Join(done.Tags, " ") != "v2" || done.Blobs > 0 || h.written.Load() != before+1 {
		t.Errorf("under another tag: %+v, %v, %d requests that write", done, err, h.written.Load()-before)
	}
	if done, err = h.push(t, made(t, files[:1], from), "latest"); err != nil || len(done.Tags) != 1 || done.Blobs != 1 {
		t.Errorf("of other content: %+v, %v", done, err)
	}
	done, err = h.push(t, made(t, files[:1], artifact.Origin{Source: "elsewhere"}), "latest")
	if err != nil || len(done.Tags) != 1 {
		t.Errorf("from elsewhere: %+v, %v", done, err)
	}
}

func TestARegistrysErrorsSayWhatIsNext(t *testing.T) {
	const secret = "canary-7f3a"
	status := func(code int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
			return true
		}
	}
	for name, c := range map[string]struct {
		front      func(http.ResponseWriter, *http.Request) bool
		want, hint string
	}{
		"wants a login": {func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}, "the registry answers 401", "docker login"},
		"shows what it got": {func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"errors":[{"code":"UNAUTHORIZED","message":"`+r.Header.Get("Authorization")+`"}]}`)
			return true
		}, "answers 401: UNAUTHORIZED: Basic [redacted]", "docker login"},
		"redirects in a circle": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
			return true
		}, "it was redirected 10 times", ""},
		"refuses the user": {status(403, `{"errors":[{"code":"DENIED","message":"no"}]}`), "answers 403: DENIED: no",
			"docker login"},
		"no repository": {onWrite(status(404, `{"errors":[{"code":"NAME_UNKNOWN"}]}`)), "answers 404: NAME_UNKNOWN",
			"made before"},
		"an unknown type": {onManifest(status(400, `{"errors":[{"code":"MANIFEST_INVALID","message":"media type"}]}`)),
			"write tag latest: the registry answers 400: MANIFEST_INVALID: media type", "OCI artifacts"},
		"half an upload": {onWrite(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = conn.Close()
			}
			return true
		}), "upload: the connection ended", "Run it again"},
		"a web page of a length": {func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
			return true
		}, "look at tag latest: what it holds is no manifest", "no web page"},
		"a web page": {func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
			w.(http.Flusher).Flush() // so that it has no length
			return true
		}, "look at tag latest: ", "no answer of an OCI registry"},
		"an upload elsewhere": {onWrite(func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Location", "http://elsewhere.example/upload?token="+secret)
			w.WriteHeader(http.StatusAccepted)
			return true
		}), "on a different host than the registry", "its own address"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://elsewhere.example/?token="+secret, http.StatusTemporaryRedirect)
			return true
		}, "the network is not allowed for elsewhere.example", "--allow network=elsewhere.example"},
		"a limit": {onWrite(status(429, `{"errors":[{"code":"TOOMANYREQUESTS","message":"slowly"}]}`)),
			"upload: the registry answers 429: TOOMANYREQUESTS: slowly", "wait, or log in"},
		"a limit for a time": {onManifest(func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}), "write tag latest: the registry answers 429: Too Many Requests", "wait, or log in"},
		"a registry that is down": {status(503, "<html>down</html>"),
			"look at tag latest: the registry answers 503: Service Unavailable", "Run it again"},
		"a type that it does not take": {onManifest(status(415, "")),
			"write tag latest: the registry answers 415: Unsupported Media Type", "OCI artifacts"},
		"something else": {func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "application/vnd.docker.distribution.manifest.v2+json")
			_, _ = io.WriteString(w, `{"config":{"mediaType":"application/vnd.docker.container.image.v1+json"}}`)
			return true
		}, "look at tag latest: it holds something else", "another repository"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // some are asked again, for seconds
			h := serve(t)
			h.front = c.front
			login := artifact.Credentials{User: "u", Password: redact.New([]byte(secret))}
			done, err := h.pushAs(t, login, config.Permissions{}, made(t, files, from), "latest")
			var known *diag.Error
			if !errors.As(err, &known) || known.Exit != diag.ExitSource || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(known.Hint, c.hint) || strings.Contains(err.Error()+known.Hint, secret) ||
				done.Digest != "" || len(done.Tags) > 0 {
				t.Errorf("%v; hint %q; %+v", err, diag.HintOf(err), done)
			}
			h.front = nil
			res, err := http.Get(h.URL + "/v2/shop/apps/manifests/latest")
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			if res.StatusCode != http.StatusNotFound {
				t.Errorf("the tag was moved: %s", res.Status)
			}
		})
	}
}

func TestAnErrorOfALaterTagNamesThoseThatMoved(t *testing.T) {
	h := serve(t)
	h.front = onManifest(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/v2") {
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		return true
	})
	_, err := h.push(t, made(t, files, from), "latest", "v1", "v2")
	if err == nil || !strings.Contains(err.Error(), "write tag v2, after latest, v1: ") {
		t.Error(err)
	}
}

func TestNoCredentialsOfAnAddressArePublished(t *testing.T) {
	for source, want := range map[string]string{
		"https://gitlab-ci-token:secret@git.example.org/shop.git": "https://git.example.org/shop.git",
		"https://secret@git.example.org/shop":                     "https://git.example.org/shop",
		"ssh://u:secret@git.example.org/shop":                     "ssh://git.example.org/shop",
		"secret@git.example.org:shop":                             "git.example.org:shop",
		"ssh://git@git.example.org/shop":                          "ssh://git@git.example.org/shop",
		"git@git.example.org:shop":                                "git@git.example.org:shop",
		"https://git.example.org/shop":                            "https://git.example.org/shop", "": "",
	} {
		if got, err := artifact.Address(source); got != want || err != nil {
			t.Errorf("%s: %s, %v", source, got, err)
		}
		with, without := artifact.Origin{Source: source}, artifact.Origin{Source: want}
		if made(t, files, with).Digest() != made(t, files, without).Digest() {
			t.Errorf("%s: the credentials count", source)
		}
	}
	if _, err := artifact.Address("https://u:%zz@h/"); err == nil || strings.Contains(err.Error(), "zz") {
		t.Error(err)
	}
}

func TestCredentialsThatDockerCannotReadAreAUsageError(t *testing.T) {
	h := serve(t)
	h.front = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	at := h.Listener.Addr().String()
	for file, want := range map[string]string{
		`{"credHelpers":{"` + at + `":"is-not-there"}}`:   "docker's credentials for " + at + ": ask is-not-there for " + at,
		`{"auths":{"` + at + `":{"auth":"canary-7f3a"}}}`: "docker's credentials for " + at + ": what it has cannot be read",
		`{"auths":{"canary-7f3a`:                          "docker's file of credentials: what it has cannot be read",
	} {
		logins := login.Source{Docker: filepath.Join(t.TempDir(), "config.json"), Ask: refusing}
		if err := os.WriteFile(logins.Docker, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := artifact.Parse("oci://" + at + "/shop/apps")
		if err != nil {
			t.Fatal(err)
		}
		if err = r.Connect(artifact.Credentials{Logins: logins}, config.Permissions{}); err == nil {
			_, err = r.Push(t.Context(), made(t, files, from), []string{"latest"})
		}
		var known *diag.Error
		if !errors.As(err, &known) || known.Exit != diag.ExitUsage || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// refusing is a helper that has nothing to say.
func refusing(_ context.Context, name, address string) (auth.Credential, error) {
	return auth.EmptyCredential, diag.Usage(errors.New("ask "+name+" for "+address), "Mend it.")
}

// onWrite answers requests that write.
func onWrite(front func(http.ResponseWriter, *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		return r.Method != http.MethodGet && r.Method != http.MethodHead && front(w, r)
	}
}

// onManifest answers requests that write a manifest.
func onManifest(front func(http.ResponseWriter, *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
	return onWrite(func(w http.ResponseWriter, r *http.Request) bool {
		return strings.Contains(r.URL.Path, "/manifests/") && front(w, r)
	})
}

func TestALimitIsWaitedForAndALoginIsSent(t *testing.T) {
	h := serve(t)
	limited := false
	h.front = func(w http.ResponseWriter, r *http.Request) bool {
		if user, password, _ := r.BasicAuth(); user != "u" || password != "p" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		if r.Method == http.MethodPut && !limited {
			limited = true
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
		return false
	}
	login := artifact.Credentials{User: "u", Password: redact.New([]byte("p"))}
	done, err := h.pushAs(t, login, config.Permissions{}, made(t, files, from), "latest")
	if err != nil || !limited || done.Blobs != 2 {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestAnotherHostIsAskedWhereTheNetworkIsAllowed(t *testing.T) {
	h := serve(t)
	_, port, err := net.SplitHostPort(h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	redirect := func(path string) {
		h.front = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, path) && strings.HasPrefix(r.Host, "127.") && r.Method != http.MethodPut {
				http.Redirect(w, r, "http://localhost:"+port+r.URL.Path, http.StatusTemporaryRedirect)
				return true
			}
			return false
		}
	}
	redirect("/manifests/")
	for _, c := range []struct {
		config.Permissions
		want bool
	}{
		{config.Permissions{Hosts: "localhost"}, false}, {config.Permissions{Network: true, Hosts: "localhost"}, true},
		{config.Permissions{Network: true}, true},
	} {
		_, err := h.pushAs(t, artifact.Credentials{}, c.Permissions, made(t, files, from), "latest")
		if (err == nil) != c.want {
			t.Errorf("%+v: %v", c.Permissions, err)
		}
	}
	redirect("/blobs/sha256:")
	done, err := h.push(t, made(t, files, from), "other")
	if err != nil || done.Blobs != 0 || len(done.Tags) != 1 {
		t.Errorf("blobs that lie elsewhere: %+v, %v", done, err)
	}
}

func TestAddressesAreRead(t *testing.T) {
	for address, want := range map[string]string{
		"oci://ghcr.io/a/b": "ghcr.io/a/b ", "oci://localhost:5000/a:v1": "localhost:5000/a v1",
		"oci://docker.io/a/b:x": "docker.io/a/b x",
		"ghcr.io/a/b":           "", "oci://ghcr.io": "", "https://ghcr.io/a": "", "oci://u:p@ghcr.io/a": "", "oci://ghcr.io/A": "",
		"oci://ghcr.io/a@sha256:0123456789012345678901234567890123456789012345678901234567890123": "",
	} {
		r, err := artifact.Parse(address)
		if want == "" {
			if diag.ExitOf(err) != diag.ExitUsage || strings.Contains(err.Error(), "u:p") {
				t.Errorf("%s: %v", address, err)
			}
			continue
		}
		if err != nil || r.Name()+" "+r.Tag() != want {
			t.Errorf("%s: %v, %v", address, r, err)
		}
	}
}

func TestObjectsWithVariablesAreLabelled(t *testing.T) {
	const text = `# first
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
data: {x: "${HOME}"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b, labels: {c: d}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: &n c, labels: {c: *n}}
data: {x: "${HOME}"}
`
	const want = `# first
apiVersion: v1
kind: ConfigMap
metadata:
  labels:
    kustomize.toolkit.fluxcd.io/substitute: disabled
  name: a
data: {x: "${HOME}"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b, labels: {c: d}}
---
apiVersion: v1
data:
  x: ${HOME}
kind: ConfigMap
metadata:
  labels:
    kustomize.toolkit.fluxcd.io/substitute: disabled
    c: c
  name: c
`
	got, err := keepVariables([]byte(text), "x")
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if again, err := keepVariables(got, "x"); err != nil || string(again) != want {
		t.Errorf("again: %v\n%s", err, again)
	}
	list := []byte("kind: List\napiVersion: v1\nitems:\n- {kind: A, apiVersion: v1, metadata: {name: a}}\n" +
		"- {kind: A, apiVersion: v1, metadata: {name: b}, x: \"${y}\"}\n")
	if got, err := keepVariables(list, "x"); err != nil || strings.Count(string(got), "disabled") != 1 ||
		!strings.Contains(string(got), "metadata: {labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}, name: b}") {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestAVariableWhoseCharactersAreEscapedIsOne(t *testing.T) {
	for value, want := range map[string]bool{
		`"\u0024{X}"`: true, `pa$$word`: true, `pa$word$`: false, `"$\u0024"`: true, `"$\x7bX}"`: true, "\"$\\\n  {X}\"": true, `"\\u0024{X}"`: false, `'\u0024{X}'`: false, `"\t$X"`: false,
	} {
		for _, text := range []string{
			"apiVersion: v1\nkind: A\nmetadata: {name: a}\nb: " + value + "\n",
			"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n  b: " + value + "\n",
		} {
			got, err := keepVariables([]byte(text), "x")
			if err != nil || strings.Contains(string(got), "disabled") != want {
				t.Errorf("%s: %s, %v", value, got, err)
			}
		}
	}
}

func TestAnObjectThatCannotHaveTheLabelIsAnErrorOfTheInput(t *testing.T) {
	_, err := keepVariables([]byte("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: b}}\n"+
		"- {apiVersion: v1, kind: A, metadata: {name: a, labels: x}, b: \"${X}\"}\n"), "what x renders")
	if diag.ExitOf(err) != diag.ExitInput || err.Error() != "A a: label what x renders: metadata.labels is not a mapping" {
		t.Error(err)
	}
}

func keepVariables(text []byte, name string) ([]byte, error) {
	edits, err := artifact.KeepVariables(text, name)
	return splice.Bytes(text, edits), err
}
