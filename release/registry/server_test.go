package registry_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/rollstamp/rollstamp/release/image"
	publish "github.com/rollstamp/rollstamp/release/registry"
)

// server is a real registry with a proxy in front of it that can misbehave, and notes what is written.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	writes []string
}

// serve starts a registry. The proxy reports whether it has answered the request itself.
func serve(t *testing.T, proxy proxy) *server {
	t.Helper()
	behind := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.mu.Lock()
			s.writes = append(s.writes, r.Method+" "+r.URL.Path)
			s.mu.Unlock()
		}
		if proxy == nil || !proxy(w, r) {
			behind.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) repository() string {
	return strings.TrimPrefix(s.URL, "http://") + "/tools/rollstamp"
}

// tags lists the tags of the repository; none where there is no such repository.
func (s *server) tags(t *testing.T) []string {
	t.Helper()
	repo, err := name.NewRepository(s.repository())
	if err != nil {
		t.Fatal(err)
	}
	tags, err := remote.List(repo)
	if err != nil && !strings.Contains(err.Error(), "NAME_UNKNOWN") {
		t.Fatal(err)
	}
	return tags
}

// images makes two images of random content, 1.0.0 and 1.0.0-shell.
func images(t *testing.T) []image.Tagged {
	t.Helper()
	var out []image.Tagged
	for _, tag := range []string{"1.0.0", "1.0.0-shell"} {
		index, err := random.Index(1000, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, image.Tagged{Tag: tag, Index: index})
	}
	return out
}

// options make a registry that fails fail at once.
func options() publish.Options {
	return publish.Options{Remote: []remote.Option{
		remote.WithRetryBackoff(remote.Backoff{Duration: time.Millisecond, Steps: 2}),
	}}
}

func push(t *testing.T, repository string, images []image.Tagged, opts publish.Options) error {
	t.Helper()
	_, err := publish.Push(t.Context(), repository, images, opts)
	return err
}

func digest(t *testing.T, index v1.ImageIndex) string {
	t.Helper()
	d, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d.String()
}

// pull returns the index that a tag leads to, after all of it has been read.
func pull(t *testing.T, repository, tag string) v1.ImageIndex {
	t.Helper()
	ref, err := name.ParseReference(repository + ":" + tag)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Fatal(err)
	}
	return index
}
