package rendercache_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/rendercache"
)

// server is a small cache of Bazel's: like bazel-remote, it takes below cas/ only what its name is the digest of.
type server struct {
	mu      sync.Mutex
	entries map[string][]byte
	refuses int // the status that writes are answered with, 0 takes them
	asked   int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if r.Header.Get("Authorization") != "Bearer t" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	switch text, ok := s.entries[r.URL.Path]; {
	case r.Method == http.MethodPut && s.refuses != 0:
		w.WriteHeader(s.refuses)
	case r.Method == http.MethodPut:
		body, _ := io.ReadAll(r.Body)
		sum := sha256.Sum256(body)
		if strings.Contains(r.URL.Path, "/cas/") && path.Base(r.URL.Path) != hex.EncodeToString(sum[:]) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.entries[r.URL.Path] = body
	case !ok:
		w.WriteHeader(http.StatusNotFound)
	default:
		_, _ = w.Write(text)
	}
}

// start returns a server, and a view of it under a hash key.
func start(t *testing.T) (*server, string, *rendercache.View) {
	t.Helper()
	s := &server{entries: map[string][]byte{}}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h.URL + "/team", viewOf(t, h.URL+"/team", "key")
}

func viewOf(t *testing.T, address, text string) *rendercache.View {
	t.Helper()
	return viewWith(t, rendercache.Options{Dir: address, Authorization: "Bearer t"}, text)
}

// viewWith returns a view of a cache under a hash key.
func viewWith(t *testing.T, o rendercache.Options, text string) *rendercache.View {
	t.Helper()
	key, err := hashing.KeyFromBytes(redact.New([]byte(strings.Repeat(text, 32))), "a test")
	if err != nil {
		t.Fatal(err)
	}
	renders, err := key.ForRenders()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, o).With(renders, nil)
}

func texts() map[string][]byte {
	return map[string][]byte{"small": []byte("text"), "empty": {}, "large": bytes.Repeat([]byte("canary "), 100_000)}
}

func TestAServerGivesBackWhatWasWrittenAndKnowsNothingOfIt(t *testing.T) {
	s, address, v := start(t)
	for name, text := range texts() {
		if got, err := v.Get(v.Name([]byte(name))); got != nil || err != nil {
			t.Errorf("%s is there before it was written: %q, %v", name, got, err)
		}
		v.Put(v.Name([]byte(name)), text)
	}
	again, other := viewOf(t, address, "key"), viewOf(t, address, "another")
	for name, text := range texts() {
		if got, err := again.Get(again.Name([]byte(name))); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is read as %d bytes, %v", name, len(got), err)
		}
		if got, err := other.Get(other.Name([]byte(name))); got != nil || err != nil {
			t.Errorf("%s is found under another key: %d bytes, %v", name, len(got), err)
		}
	}
	for at, text := range s.entries {
		if bytes.Contains(text, []byte("canary")) {
			t.Errorf("%s is not encrypted", at)
		}
		if !strings.HasPrefix(at, "/team/ac/") && !strings.HasPrefix(at, "/team/cas/") {
			t.Errorf("%s is no path of the protocol", at)
		}
	}
}

func TestWhatAServerMadeOfAnEntryIsDamaged(t *testing.T) {
	s, _, v := start(t)
	for name, text := range texts() {
		v.Put(v.Name([]byte(name)), text)
	}
	for at, text := range s.entries {
		for _, changed := range [][]byte{nil, text[:len(text)/2], append(bytes.Clone(text), 0), flipped(text)} {
			s.entries[at] = changed
			for name, want := range texts() {
				if got, _ := v.Get(v.Name([]byte(name))); got != nil && !bytes.Equal(got, want) {
					t.Errorf("%s is another text after %s changed", name, at)
				}
			}
		}
		s.entries[at] = text
	}
	small, large := v.Name([]byte("small")), v.Name([]byte("large"))
	s.entries["/team/ac/"+hex.EncodeToString(small[:])] = s.entries["/team/ac/"+hex.EncodeToString(large[:])]
	if got, err := v.Get(small); got != nil || err == nil {
		t.Errorf("an entry is taken under the name of another: %d bytes, %v", len(got), err)
	}
}

func flipped(text []byte) []byte {
	out := bytes.Clone(text)
	out[len(out)/2] ^= 1
	return out
}

func TestWhoMayOnlyReadWritesNothing(t *testing.T) {
	s, _, v := start(t)
	s.refuses = http.StatusForbidden
	for i := range 10 {
		v.Put(v.Name(fmt.Append(nil, i)), []byte("text"))
	}
	if s.asked != 1 {
		t.Errorf("the server was asked %d times, want once", s.asked)
	}
	if got, err := v.Get(v.Name([]byte("one"))); got != nil || err != nil || s.asked != 2 {
		t.Errorf("reading goes on: %q, %v after %d requests", got, err, s.asked)
	}
}

func TestAServerThatFailsIsGivenUp(t *testing.T) {
	asked := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "http://198.51.100.1/elsewhere", http.StatusFound)
	}))
	defer h.Close()
	v := viewOf(t, h.URL, "key")
	for i := range 20 {
		if got, err := v.Get(v.Name(fmt.Append(nil, i))); got != nil || err != nil {
			t.Fatalf("it is %q, %v", got, err)
		}
	}
	if asked != 6 {
		t.Errorf("it was asked %d times, want three times twice", asked)
	}
}

// TestASlowServerIsGivenUp has a server whose answers are right and late.
func TestASlowServerIsGivenUp(t *testing.T) {
	asked := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		<-time.After(time.Second / 2)
		w.WriteHeader(http.StatusNotFound)
	}))
	defer h.Close()
	v := viewWith(t, rendercache.Options{Dir: h.URL, Patience: time.Millisecond}, "key")
	for i := range 20 {
		if got, err := v.Get(v.Name(fmt.Append(nil, i))); got != nil || err != nil {
			t.Fatalf("it is %q, %v", got, err)
		}
	}
	if asked != 1 {
		t.Errorf("it was asked %d times", asked)
	}
}

// TestAServerIsGivenUpThatTakesEntriesAtOnceAndReturnsThemLate has writes make good for no reads.
func TestAServerIsGivenUpThatTakesEntriesAtOnceAndReturnsThemLate(t *testing.T) {
	asked := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			asked++
			<-time.After(time.Second / 2)
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer h.Close()
	v := viewWith(t, rendercache.Options{Dir: h.URL, Patience: 700 * time.Millisecond}, "key")
	for i := range 6 {
		name := v.Name(fmt.Append(nil, i))
		if got, err := v.Get(name); got != nil || err != nil {
			t.Fatalf("it is %q, %v", got, err)
		}
		v.Put(name, []byte("text"))
		v.Put(v.Name(fmt.Append(nil, i, "more")), []byte("text"))
	}
	if asked != 2 {
		t.Errorf("it was asked %d times", asked)
	}
}

// TestAServerMayCostWhatRenderingDoes has a server whose answers are right and take a tenth of a second each.
func TestAServerMayCostWhatRenderingDoes(t *testing.T) {
	asked := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		<-time.After(time.Second / 10)
		w.WriteHeader(http.StatusNotFound)
	}))
	defer h.Close()
	for _, isWorthIt := range []bool{false, true} {
		asked = 0
		v := viewWith(t, rendercache.Options{Dir: h.URL, Patience: time.Second}, "key")
		v.Rendered(time.Hour) // before it cost anything, which allows no more
		for i := range 15 {
			if got, err := v.Get(v.Name(fmt.Append(nil, i))); got != nil || err != nil {
				t.Fatalf("it is %q, %v", got, err)
			}
			if isWorthIt {
				v.Rendered(time.Minute)
			}
		}
		if isWorthIt != (asked == 15) {
			t.Errorf("worth it: %v, and it was asked %d times", isWorthIt, asked)
		}
	}
}

// TestASilentServerIsNamed has a server that takes requests and answers none.
func TestASilentServerIsNamed(t *testing.T) {
	end := make(chan struct{})
	h := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	defer h.Close()
	defer close(end)
	host := strings.TrimPrefix(h.URL, "http://")
	for what, use := range map[string]func(*rendercache.View){
		"asked":   func(v *rendercache.View) { _, _ = v.Get(v.Name([]byte("a"))) },
		"written": func(v *rendercache.View) { v.Put(v.Name([]byte("a")), []byte("text")) },
	} {
		var cause error
		stays := &rendercache.Stays{Again: time.Hour, Note: func(err error) { cause = err }}
		v := viewWith(t, rendercache.Options{Dir: h.URL, Stays: stays, Timeout: time.Millisecond}, "key")
		for range 3 {
			use(v)
		}
		if want := host + " did not answer within 1ms"; cause == nil || cause.Error() != want {
			t.Errorf("%s: the note is %v, want %s", what, cause, want)
		}
	}
}

func TestAServerThatIsNoCacheIsGivenUp(t *testing.T) {
	asked := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = io.WriteString(w, "<html>Please log in</html>")
	}))
	defer h.Close()
	v := viewWith(t, rendercache.Options{Dir: h.URL}, "key")
	for i := range 20 {
		if got, err := v.Get(v.Name(fmt.Append(nil, i))); got != nil || (err != nil) != (i < 3) {
			t.Fatalf("%d: it is %q, %v", i, got, err)
		}
		v.Put(v.Name(fmt.Append(nil, i)), []byte("text"))
	}
	if asked != 5 { // it took two
		t.Errorf("it was asked %d times", asked)
	}
}

// A run over one application asks too few times for the server to be given up.
func TestAServerThatRefusesToReadIsReported(t *testing.T) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer h.Close()
	for authorization, want := range map[string]string{
		"": "the server does not answer as a cache does: it says 401 Unauthorized; " +
			"set ROLLSTAMP_RENDER_CACHE_AUTHORIZATION to what the header Authorization is to hold",
		"Bearer x": "the server does not answer as a cache does: it says 401 Unauthorized " +
			"to what ROLLSTAMP_RENDER_CACHE_AUTHORIZATION holds",
	} {
		for _, times := range []int{1, 5} {
			c := open(t, rendercache.Options{Dir: h.URL, Authorization: authorization})
			v := c.With(nil, nil)
			v.Put(v.Name([]byte("first")), []byte("text"))
			for i := range times {
				if got, err := v.Get(v.Name(fmt.Append(nil, i))); got != nil || err != nil {
					t.Fatalf("it is %q, %v", got, err)
				}
			}
			if err := c.Trouble(); err == nil || err.Error() != want {
				t.Errorf("after %d questions the trouble is %v, want %s", times, err, want)
			}
		}
	}
}

func TestAddressesOfOtherProtocolsAreNoFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, address := range []string{"s3://bucket/x", "HTTP://cache.example/x", "grpcs://host", "http:/typo"} {
		if _, err := rendercache.Open(rendercache.Options{Dir: address}); diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%s: %v", address, err)
		}
	}
	if made, err := os.ReadDir("."); err != nil || len(made) != 0 {
		t.Errorf("there is %v, %v", made, err)
	}
	c, err := rendercache.Open(rendercache.Options{Dir: "a:b"})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// TestAProcessThatStaysAsksAgain has a server that fails four requests, and two tries of each.
func TestAProcessThatStaysAsksAgain(t *testing.T) {
	for again, want := range map[time.Duration]int{time.Nanosecond: 8 + 16, time.Hour: 6} {
		asked := 0
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if asked++; asked <= 8 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}))
		notes := 0
		stays := &rendercache.Stays{Again: again, Note: func(error) { notes++ }}
		v := viewWith(t, rendercache.Options{Dir: h.URL, Stays: stays}, "key")
		for i := range 20 {
			if got, err := v.Get(v.Name(fmt.Append(nil, i))); got != nil || err != nil {
				t.Errorf("it is %q, %v", got, err)
			}
		}
		if h.Close(); asked != want || notes != 1 {
			t.Errorf("after %v it was asked %d times, want %d; %d notes", again, asked, want, notes)
		}
	}
}

func TestAddressesThatShowCredentialsAreRefused(t *testing.T) {
	for address, authorization := range map[string]string{
		"https://user:secret@cache.example.com/": "", "http://cache.example.com/": "Bearer secret", "https:///": "",
	} {
		_, err := rendercache.Open(rendercache.Options{Dir: address, Authorization: authorization})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
