// Package vault holds rollstamp to a real Vault server, which runs in the test's own process. It is a module of its
// own, so that the server's dependencies are none of rollstamp's.
package vault

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/vault/api"

	vaulted "github.com/rollstamp/rollstamp/e2e/vault/server"
)

// server is a Vault with a handler before it that counts.
type server struct {
	URL  string
	Root *api.Client

	mu    sync.Mutex
	paths map[string]int // method and path of every request that rollstamp made
	slow  time.Duration  // added to each of them
	worst time.Duration  // that one of them took
}

const (
	rootHeader = "X-Test-Root" // marks the test's own requests
	valueRoot  = "yes"
)

func (s *server) ServeHTTP(next http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		defer func() {
			if r.Header.Get(rootHeader) == "" {
				s.mu.Lock()
				s.worst = max(s.worst, time.Since(began))
				s.mu.Unlock()
			}
		}()
		if r.Header.Get(rootHeader) == "" {
			s.mu.Lock()
			s.paths[r.Method+" "+r.URL.Path]++
			slow := s.slow
			s.mu.Unlock()
			if slow > 0 {
				select {
				case <-time.After(slow):
				case <-r.Context().Done():
				}
			}
		}
		next.ServeHTTP(w, r)
	}
}

// asked returns how many requests rollstamp made to paths that hold part, and forgets nothing.
func (s *server) asked(part string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, count := range s.paths {
		if strings.Contains(path, part) {
			n += count
		}
	}
	return n
}

func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = map[string]int{}
}

var started = sync.OnceValues(begin)

// begin sets up one server for all tests.
func begin() (*server, error) {
	ctx := context.Background()
	handler, token, err := vaulted.New(ctx)
	if err != nil {
		return nil, err
	}
	s := &server{paths: map[string]int{}}
	s.URL = httptest.NewServer(s.ServeHTTP(handler)).URL
	s.Root, err = api.NewClient(&api.Config{Address: s.URL})
	if err != nil {
		return nil, err
	}
	s.Root.SetToken(token)
	s.Root.AddHeader(rootHeader, valueRoot)
	return s, vaulted.Mount(ctx, s.Root)
}

func start(t *testing.T) *server {
	t.Helper()
	s, err := started()
	if err != nil {
		t.Fatal(err)
	}
	s.forget()
	return s
}

// put writes a new version. A kv version 2 engine upgrades itself after it is mounted, and refuses to write until then.
func (s *server) put(t *testing.T, path string, data map[string]any) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		_, err := s.Root.Logical().WriteWithContext(t.Context(), path, data)
		if err == nil {
			return
		}
		if !vaulted.IsUpgrading(err) || time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // the engine reports nowhere when it is done
	}
}

func (s *server) put2(t *testing.T, mount, key, value string) {
	t.Helper()
	s.put(t, mount+"/data/"+key, map[string]any{"data": map[string]any{"password": value}})
}

// token makes one with a policy.
func (s *server) token(t *testing.T, rules string) string {
	t.Helper()
	name := strings.ToLower(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.Name()))
	if err := s.Root.Sys().PutPolicyWithContext(t.Context(), name, rules); err != nil {
		t.Fatal(err)
	}
	made, err := s.Root.Auth().
		Token().
		CreateWithContext(t.Context(), &api.TokenCreateRequest{Policies: []string{name}, NoParent: true,
			NoDefaultPolicy: true})
	if err != nil {
		t.Fatal(err)
	}
	return made.Auth.ClientToken
}
