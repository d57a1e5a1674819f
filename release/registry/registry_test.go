package registry_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	publish "github.com/rollstamp/rollstamp/release/registry"
)

func TestWhatIsPulledIsWhatWasPushed(t *testing.T) {
	s, all := serve(t, nil), images(t)
	if err := push(t, s.repository(), all, options()); err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if got, want := digest(t, pull(t, s.repository(), i.Tag)), digest(t, i.Index); got != want {
			t.Errorf("%s leads to %s, want %s", i.Tag, got, want)
		}
	}
	published, err := publish.Push(t.Context(), s.repository(), all, options())
	if err != nil || !published[0].Was || !published[1].Was {
		t.Errorf("again: %v %v", published, err)
	}
}

func TestTagsAreTheLastThatIsWritten(t *testing.T) {
	s := serve(t, nil)
	signed := 0
	opts := options()
	opts.Sign = func(_ context.Context, d name.Digest) error {
		signed++
		if _, err := remote.Index(d); err != nil {
			t.Errorf("an image is to be signed that is not there: %v", err)
		}
		if tags := s.tags(t); strings.Contains(strings.Join(tags, " "), "1.0.0") {
			t.Errorf("tags %v are there before everything is signed", tags)
		}
		return nil
	}
	if err := push(t, s.repository(), images(t), opts); err != nil {
		t.Fatal(err)
	}
	if signed != 2 {
		t.Errorf("%d images signed, want 2", signed)
	}
	n := len(s.writes)
	for i, tag := range []string{"1.0.0", "1.0.0-shell"} {
		if !strings.HasSuffix(s.writes[n-2+i], "/manifests/"+tag) {
			t.Errorf("written last: %v", s.writes[n-2:])
		}
	}
}

func TestUntaggedImagesGetTheirTagsByAnotherPush(t *testing.T) {
	s, all := serve(t, nil), images(t)
	opts := options()
	opts.Untagged = true
	opts.Sign = func(context.Context, name.Digest) error { return nil }
	if err := push(t, s.repository(), all, opts); err != nil {
		t.Fatal(err)
	}
	if tags := s.tags(t); strings.Contains(strings.Join(tags, " "), "1.0.0") {
		t.Errorf("tags: %v", tags)
	}
	s.writes = nil
	if err := push(t, s.repository(), all, options()); err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if got, want := digest(t, pull(t, s.repository(), i.Tag)), digest(t, i.Index); got != want {
			t.Errorf("%s leads to %s, want %s", i.Tag, got, want)
		}
	}
	for _, write := range s.writes {
		if strings.Contains(write, "/blobs/") {
			t.Errorf("uploaded again: %s", write)
		}
	}
}

func TestATagOfAnotherImageIsKept(t *testing.T) {
	s, first, second := serve(t, nil), images(t), images(t)
	if err := push(t, s.repository(), first[1:], options()); err != nil {
		t.Fatal(err)
	}
	s.writes = nil
	err := push(t, s.repository(), second, options())
	if !errors.Is(err, publish.ErrTaken) || !strings.Contains(err.Error(), digest(t, first[1].Index)) {
		t.Errorf("pushed over another image: %v", err)
	}
	if len(s.writes) > 0 {
		t.Errorf("written nevertheless: %v", s.writes)
	}
	opts := options()
	opts.Force = true
	if err := push(t, s.repository(), second, opts); err != nil {
		t.Fatal(err)
	}
	if got := digest(t, pull(t, s.repository(), "1.0.0-shell")); got != digest(t, second[1].Index) {
		t.Errorf("forced, and the tag leads to %s", got)
	}
}

func TestASigningThatFailsLeavesNoTag(t *testing.T) {
	s := serve(t, nil)
	opts, no := options(), errors.New("no key")
	opts.Sign = func(context.Context, name.Digest) error { return no }
	if err := push(t, s.repository(), images(t), opts); !errors.Is(err, no) {
		t.Errorf("%v", err)
	}
	if tags := s.tags(t); strings.Contains(strings.Join(tags, " "), "1.0.0") {
		t.Errorf("tags: %v", tags)
	}
}

// proxy answers a request itself, and reports whether it did.
type proxy func(http.ResponseWriter, *http.Request) bool

// refuse answers with a status, all requests or those of one method.
func refuse(status int, only string) proxy {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if only != "" && r.Method != only {
			return false
		}
		w.WriteHeader(status)
		return true
	}
}

// cut lets half an upload arrive, and ends the connection.
func cut(w http.ResponseWriter, r *http.Request) bool {
	return (r.Method == http.MethodPatch || r.Method == http.MethodPut) && cutAny(w, r)
}

// cutAny lets half of a request arrive, and ends the connection.
func cutAny(w http.ResponseWriter, r *http.Request) bool {
	_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		conn.Close()
	}
	return true
}

// send sends uploads to another server.
func send(to *server, status int) proxy {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Location", to.URL+r.URL.Path)
		w.WriteHeader(status)
		return true
	}
}

func TestWhatARegistryDoesWrongIsAnErrorAndLeavesNoTag(t *testing.T) {
	elsewhere := serve(t, nil)
	for name, c := range map[string]struct {
		proxy proxy
		want  []string
	}{
		"refuses everybody":              {refuse(401, ""), []string{"401", "docker login"}},
		"refuses this one":               {refuse(403, ""), []string{"403", "docker login"}},
		"lets read and not write":        {refuse(403, http.MethodPost), []string{"403", "docker login"}},
		"is read-only":                   {refuse(405, http.MethodPost), []string{"405"}},
		"does not take manifests":        {refuse(507, http.MethodPut), []string{"507"}},
		"drops half an upload":           {cut, []string{"ended in the middle", "push again"}},
		"redirects to another host":      {send(elsewhere, 307), []string{"another host", "-also-host"}},
		"wants uploads on another host":  {send(elsewhere, 202), []string{"another host", "-also-host"}},
		"does not know the repository":   {refuse(404, http.MethodPost), []string{"404", "does the repository exist"}},
		"has an error of its own always": {refuse(500, ""), []string{"500"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.proxy)
			err := push(t, s.repository(), images(t), options())
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range append(c.want, s.repository()) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q in it", err, want)
				}
			}
			for _, write := range s.writes {
				if strings.Contains(write, "/manifests/1.0.0") {
					t.Errorf("a tag was written: %s", write)
				}
			}
		})
	}
	if len(elsewhere.writes) > 0 {
		t.Errorf("sent to another host: %v", elsewhere.writes)
	}
}

// TestAPushThatEndsAnywhereLeavesNoTagAndIsGoneOnWith lets the connection end at each write in turn.
func TestAPushThatEndsAnywhereLeavesNoTagAndIsGoneOnWith(t *testing.T) {
	all := images(t)
	whole := serve(t, nil)
	if err := push(t, whole.repository(), all, options()); err != nil {
		t.Fatal(err)
	}
	tags := 2
	for last := range len(whole.writes) - tags {
		var written atomic.Int32 // uploads are concurrent
		var works atomic.Bool
		s := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet || r.Method == http.MethodHead || works.Load() {
				return false
			}
			return written.Add(1) > int32(last) && cutAny(w, r)
		})
		if err := push(t, s.repository(), all, options()); err == nil {
			t.Fatalf("no error, and the connection ended at write %d of %d", last+1, len(whole.writes))
		}
		if got := s.tags(t); slices.Contains(got, "1.0.0") || slices.Contains(got, "1.0.0-shell") {
			t.Errorf("ended at write %d, and the tags are %v", last+1, got)
		}
		works.Store(true)
		if err := push(t, s.repository(), all, options()); err != nil {
			t.Errorf("pushed again after write %d: %v", last+1, err)
		}
		for _, i := range all {
			if got, want := digest(t, pull(t, s.repository(), i.Tag)), digest(t, i.Index); got != want {
				t.Errorf("%s leads to %s, want %s", i.Tag, got, want)
			}
		}
	}
}

func TestUploadsGoToAnotherHostWhereThatIsAllowed(t *testing.T) {
	behind := serve(t, nil)
	var front *server
	front = serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			w.Header().Set("Location", behind.URL+r.URL.Path)
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}
		request := r.Clone(r.Context())
		request.URL.Scheme, request.URL.Host, request.RequestURI = "http", strings.TrimPrefix(behind.URL, "http://"), ""
		answer, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Error(err)
			return true
		}
		defer answer.Body.Close()
		for key, values := range answer.Header {
			w.Header()[key] = values
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
		return true
	})
	opts := options()
	opts.AlsoHosts = []string{strings.TrimPrefix(behind.URL, "http://")}
	if err := push(t, front.repository(), images(t), opts); err != nil {
		t.Error(err)
	}
}

func TestARegistryThatIsNotThereIsNamed(t *testing.T) {
	s := serve(t, nil)
	s.Close()
	if err := push(t, s.repository(), images(t), options()); err == nil || !strings.Contains(err.Error(), s.repository()) {
		t.Errorf("%v", err)
	}
}

func TestAnAddressWithATagIsRefused(t *testing.T) {
	for _, address := range []string{"registry.example/rollstamp:1.0.0", "", "registry.example/UPPER"} {
		if err := push(t, address, nil, options()); err == nil || !strings.Contains(err.Error(), "without a tag") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
